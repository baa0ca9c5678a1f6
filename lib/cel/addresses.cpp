// The libraries of IP addresses and of CIDR blocks.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <davit/kube/go_quote.hpp>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;

struct Address {
  std::array<unsigned char, 16> bytes{};
  int size = 4;  ///< 4 or 16.
  friend bool operator==(const Address&, const Address&) = default;
};

struct Block {
  Address address;
  int bits = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// RFC 5952: the longest run of zeros, of two groups at least, becomes "::".
std::string address_text(const Address& address) {
  if (address.size == 4) {
    std::string out;
    for (std::size_t i = 0; i < 4; ++i)
      out.append(i > 0 ? "." : "").append(std::to_string(address.bytes.at(i)));
    return out;
  }
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i)
    groups.at(i) = (unsigned{address.bytes.at(2 * i)} << 8U) | address.bytes.at(2 * i + 1);
  std::size_t begin = 8;
  std::size_t length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups.at(end) == 0) ++end;
    if (end - i <= length) continue;
    begin = i;
    length = end - i;
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == begin) {
      out.append("::");
      i += length - 1;
      continue;
    }
    std::array<char, 8> group{};
    std::snprintf(group.data(), group.size(), "%x", groups.at(i));
    if (!out.empty() && out.back() != ':') out.push_back(':');
    out.append(group.data());
  }
  return out;
}

/// Any address without zone; nothing for other texts.
std::optional<Address> read_address(std::string_view text) {
  const std::string copy(text);
  Address out;
  if (copy.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, copy.c_str(), out.bytes.data()) == 1) return out;
  out.size = 16;
  if (inet_pton(AF_INET6, copy.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

bool is_mapped(const Address& address) {
  return address.size == 16 && address.bytes[10] == 0xff && address.bytes[11] == 0xff &&
         std::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                     [](unsigned char byte) { return byte == 0; });
}

Result<Address> parse_address(std::string_view text) {
  const std::string quoted = go_quoted(text);
  const std::size_t zone = text.find('%');
  const std::optional<Address> address = read_address(text.substr(0, zone));
  if (!address || (zone != std::string_view::npos && address->size == 4)) {
    return Status(Code::kInvalid, "IP Address " + quoted +
                                      " parse error during conversion from string: ParseAddr(" +
                                      quoted + "): unable to parse IP");
  }
  if (zone != std::string_view::npos)
    return Status(Code::kInvalid, "IP address " + quoted + " with zone value is not allowed");
  if (is_mapped(*address))
    return Status(Code::kInvalid, "IPv4-mapped IPv6 address " + quoted + " is not allowed");
  return *address;
}

Result<Block> parse_block(std::string_view text) {
  const std::string quoted = go_quoted(text);
  const std::string context = "network address parse error during conversion from string: ";
  const auto failed = [&](std::string_view why) {
    return Status(Code::kInvalid,
                  context + "netip.ParsePrefix(" + quoted + "): " + std::string(why));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return failed("no '/'");
  const std::optional<Address> address = read_address(text.substr(0, slash));
  if (!address)
    return failed("ParseAddr(" + go_quoted(text.substr(0, slash)) + "): unable to parse IP");
  const std::string_view digits = text.substr(slash + 1);
  const bool number = !digits.empty() && digits.size() <= 3 &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos &&
                      (digits.size() == 1 || digits[0] != '0');
  if (!number) return failed("bad bits after slash: " + go_quoted(digits));
  Block out{*address, std::stoi(std::string(digits))};
  if (out.bits > out.address.size * 8) return failed("prefix length out of range");
  if (is_mapped(*address))
    return Status(Code::kInvalid, "IPv4-mapped IPv6 address " + quoted + " is not allowed");
  return out;
}

Address masked_address(Address address, int bits) {
  for (int i = 0; i < address.size; ++i) {
    const int left = std::clamp(bits - i * 8, 0, 8);
    auto& byte = address.bytes.at(static_cast<std::size_t>(i));
    byte = static_cast<unsigned char>(byte & (0xff00U >> static_cast<unsigned>(left)));
  }
  return address;
}

class AddressValue : public OpaqueValue {
 public:
  explicit AddressValue(const Address& address) : address_(address) {}
  [[nodiscard]] std::string_view type_name() const override { return "net.IP"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* address = dynamic_cast<const AddressValue*>(&other);
    return address != nullptr && address->address_ == address_;
  }
  [[nodiscard]] std::uint64_t cost_size() const override {
    return static_cast<std::uint64_t>(address_.size);
  }
  [[nodiscard]] std::optional<std::string> to_text() const override {
    return address_text(address_);
  }
  [[nodiscard]] const Address& address() const { return address_; }

 private:
  const Address address_;
};

class BlockValue : public OpaqueValue {
 public:
  explicit BlockValue(const Block& block) : block_(block) {}
  [[nodiscard]] std::string_view type_name() const override { return "net.CIDR"; }
  [[nodiscard]] bool equals(const OpaqueValue& other) const override {
    const auto* block = dynamic_cast<const BlockValue*>(&other);
    return block != nullptr && block->block_ == block_;
  }
  [[nodiscard]] std::uint64_t cost_size() const override {
    return static_cast<std::uint64_t>((block_.bits + 7) / 8);
  }
  [[nodiscard]] std::optional<std::string> to_text() const override {
    return address_text(block_.address) + "/" + std::to_string(block_.bits);
  }
  [[nodiscard]] const Block& block() const { return block_; }

 private:
  const Block block_;
};

Value address_value(const Address& address) {
  return OpaqueRef(std::make_shared<const AddressValue>(address));
}

Value ip_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("ip", args);
  const Result<Address> address = parse_address(args[0].text());
  return address ? address_value(*address) : error_value(address.error().message());
}

Value is_ip_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("isIP", args);
  return static_cast<bool>(parse_address(args[0].text()));
}

Value is_canonical_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("ip.isCanonical", args);
  const Result<Address> address = parse_address(args[0].text());
  return address ? Value(address_text(*address) == args[0].text())
                 : error_value(address.error().message());
}

Value cidr_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("cidr", args);
  const Result<Block> block = parse_block(args[0].text());
  if (!block) {
    return error_value("network address parse error during conversion from string: " +
                       block.error().message());
  }
  return OpaqueRef(std::make_shared<const BlockValue>(*block));
}

Value is_cidr_function(FunctionContext& /*context*/, Args args) {
  if (!takes(args, "s")) return no_overload("isCIDR", args);
  return static_cast<bool>(parse_block(args[0].text()));
}

bool is_in(const Address& address, unsigned char first, unsigned char mask, unsigned char second) {
  return address.bytes[0] == first && (address.bytes[1] & mask) == second;
}

bool is_unspecified(const Address& address) { return address == Address{{}, address.size}; }
bool is_loopback(const Address& address) {
  Address one{{}, 16};
  one.bytes[15] = 1;
  return address.size == 4 ? address.bytes[0] == 127 : address == one;
}
bool is_multicast(const Address& address) {
  return address.size == 4 ? (address.bytes[0] & 0xf0U) == 0xe0 : address.bytes[0] == 0xff;
}
bool is_link_local_multicast(const Address& address) {
  if (address.size == 16) return is_in(address, 0xff, 0x0f, 0x02);
  return is_in(address, 224, 0xff, 0) && address.bytes[2] == 0;
}
bool is_link_local_unicast(const Address& address) {
  return address.size == 4 ? is_in(address, 169, 0xff, 254) : is_in(address, 0xfe, 0xc0, 0x80);
}
bool is_global_unicast(const Address& address) {
  const std::array<unsigned char, 4> broadcast = {255, 255, 255, 255};
  const bool broadcasts =
      address.size == 4 && std::equal(broadcast.begin(), broadcast.end(), address.bytes.begin());
  return !broadcasts && !is_unspecified(address) && !is_loopback(address) &&
         !is_multicast(address) && !is_link_local_unicast(address);
}

/// The result of a test of the receiver.
template <typename Test>
Value tested(Args args, std::string_view name, Test test) {
  const auto* address = args.size() == 1 ? opaque_as<AddressValue>(args, 0) : nullptr;
  return address == nullptr ? no_overload(name, args) : Value(test(address->address()));
}

Value family_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "family",
                [](const Address& address) { return std::int64_t{address.size == 4 ? 4 : 6}; });
}
Value is_unspecified_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isUnspecified", is_unspecified);
}
Value is_loopback_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLoopback", is_loopback);
}
Value is_link_local_multicast_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLinkLocalMulticast", is_link_local_multicast);
}
Value is_link_local_unicast_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLinkLocalUnicast", is_link_local_unicast);
}
Value is_global_unicast_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isGlobalUnicast", is_global_unicast);
}

Value contains_ip_function(FunctionContext& context, Args args) {
  const auto* block = args.size() == 2 ? opaque_as<BlockValue>(args, 0) : nullptr;
  if (block == nullptr) return no_overload("containsIP", args);
  if (args[1].kind() == ValueKind::kString) {
    const Value address = ip_function(context, args.subspan(1));
    // Kubernetes hides the error of the parser (apiserver/pkg/cel/library/cidr.go).
    if (address.is_error()) return no_such_overload();
    return contains_ip_function(context, std::array<Value, 2>{args[0], address});
  }
  const auto* address = opaque_as<AddressValue>(args, 1);
  if (address == nullptr) return no_overload("containsIP", args);
  const Block& outer = block->block();
  return address->address().size == outer.address.size &&
         masked_address(address->address(), outer.bits) ==
             masked_address(outer.address, outer.bits);
}

Value contains_cidr_function(FunctionContext& context, Args args) {
  const auto* block = args.size() == 2 ? opaque_as<BlockValue>(args, 0) : nullptr;
  if (block == nullptr) return no_overload("containsCIDR", args);
  if (args[1].kind() == ValueKind::kString) {
    const Value other = cidr_function(context, args.subspan(1));
    // As in contains_ip_function().
    if (other.is_error()) return no_such_overload();
    return contains_cidr_function(context, std::array<Value, 2>{args[0], other});
  }
  const auto* other = opaque_as<BlockValue>(args, 1);
  if (other == nullptr) return no_overload("containsCIDR", args);
  const Block& outer = block->block();
  const Block& inner = other->block();
  return outer.bits <= inner.bits && inner.address.size == outer.address.size &&
         masked_address(inner.address, outer.bits) == masked_address(outer.address, outer.bits);
}

Value block_ip_function(FunctionContext& /*context*/, Args args) {
  const auto* block = args.size() == 1 ? opaque_as<BlockValue>(args, 0) : nullptr;
  return block == nullptr ? no_overload("ip", args) : address_value(block->block().address);
}

Value masked_function(FunctionContext& /*context*/, Args args) {
  const auto* value = args.size() == 1 ? opaque_as<BlockValue>(args, 0) : nullptr;
  if (value == nullptr) return no_overload("masked", args);
  Block block = value->block();
  block.address = masked_address(block.address, block.bits);
  return OpaqueRef(std::make_shared<const BlockValue>(block));
}

Value prefix_length_function(FunctionContext& /*context*/, Args args) {
  const auto* block = args.size() == 1 ? opaque_as<BlockValue>(args, 0) : nullptr;
  return block == nullptr ? no_overload("prefixLength", args)
                          : Value(std::int64_t{block->block().bits});
}

}  // namespace

FunctionTable address_functions() {
  static constexpr std::array<NamedFunction, 5> kTable = {
      {{"ip", ip_function},
       {"isIP", is_ip_function},
       {"ip.isCanonical", is_canonical_function},
       {"cidr", cidr_function},
       {"isCIDR", is_cidr_function}}};
  return kTable;
}

FunctionTable address_members() {
  static constexpr std::array<NamedFunction, 11> kTable = {
      {{"family", family_function},
       {"isUnspecified", is_unspecified_function},
       {"isLoopback", is_loopback_function},
       {"isLinkLocalMulticast", is_link_local_multicast_function},
       {"isLinkLocalUnicast", is_link_local_unicast_function},
       {"isGlobalUnicast", is_global_unicast_function},
       {"containsIP", contains_ip_function},
       {"containsCIDR", contains_cidr_function},
       {"ip", block_ip_function},
       {"masked", masked_function},
       {"prefixLength", prefix_length_function}}};
  return kTable;
}

}  // namespace davit::cel

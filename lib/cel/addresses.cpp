// The libraries of IP addresses and of CIDR blocks.
#include <algorithm>
#include <array>
#include <davit/kube/go_quote.hpp>
#include <davit/kube/ip.hpp>
#include <functional>
#include <utility>

#include "lib/cel/arguments.hpp"
#include "lib/cel/functions.hpp"

namespace davit::cel {
namespace {

using Args = std::span<const Value>;
using ip::Address;
using ip::Family;

/// A prefix as it was written, bits beyond its length included.
struct Block {
  Address address;
  int bits = 0;

  [[nodiscard]] ip::Prefix prefix() const { return {address, bits}; }
  friend bool operator==(const Block&, const Block&) = default;
};

Result<Address> parse_address(std::string_view text) {
  const std::string quoted = go_quoted(text);
  const std::size_t zone = text.find('%');
  const std::optional<Address> address = Address::parse(text.substr(0, zone));
  if (!address || (zone != std::string_view::npos && address->family == Family::kIPv4)) {
    return Status(Code::kInvalid, "IP Address " + quoted +
                                      " parse error during conversion from string: ParseAddr(" +
                                      quoted + "): unable to parse IP");
  }
  if (zone != std::string_view::npos)
    return Status(Code::kInvalid, "IP address " + quoted + " with zone value is not allowed");
  if (address->is_mapped())
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
  const std::optional<Address> address = Address::parse(text.substr(0, slash));
  if (!address)
    return failed("ParseAddr(" + go_quoted(text.substr(0, slash)) + "): unable to parse IP");
  const std::string_view digits = text.substr(slash + 1);
  const bool number = !digits.empty() && digits.size() <= 3 &&
                      digits.find_first_not_of("0123456789") == std::string_view::npos &&
                      (digits.size() == 1 || digits[0] != '0');
  if (!number) return failed("bad bits after slash: " + go_quoted(digits));
  Block out{*address, std::stoi(std::string(digits))};
  if (out.bits > ip::bits_of(out.address.family)) return failed("prefix length out of range");
  if (address->is_mapped())
    return Status(Code::kInvalid, "IPv4-mapped IPv6 address " + quoted + " is not allowed");
  return out;
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
    return static_cast<std::uint64_t>(ip::bits_of(address_.family) / 8);
  }
  [[nodiscard]] std::optional<std::string> to_text() const override { return address_.text(); }
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
    return block_.address.text() + "/" + std::to_string(block_.bits);
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
  return address ? Value(address->text() == args[0].text())
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

bool is_global_unicast(const Address& address) {
  const bool broadcasts = address == Address::of_number(0xffffffffU);
  return !broadcasts && !address.is_unspecified() && !address.is_loopback() &&
         !address.is_multicast() && !address.is_link_local_unicast();
}

/// The result of a test of the receiver.
template <typename Test>
Value tested(Args args, std::string_view name, Test test) {
  const auto* address = args.size() == 1 ? opaque_as<AddressValue>(args, 0) : nullptr;
  return address == nullptr ? no_overload(name, args) : Value(test(address->address()));
}

Value family_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "family", [](const Address& address) {
    return std::int64_t{address.family == Family::kIPv4 ? 4 : 6};
  });
}
Value is_unspecified_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isUnspecified", std::mem_fn(&Address::is_unspecified));
}
Value is_loopback_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLoopback", std::mem_fn(&Address::is_loopback));
}
Value is_link_local_multicast_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLinkLocalMulticast", std::mem_fn(&Address::is_link_local_multicast));
}
Value is_link_local_unicast_function(FunctionContext& /*context*/, Args args) {
  return tested(args, "isLinkLocalUnicast", std::mem_fn(&Address::is_link_local_unicast));
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
  return block->block().prefix().contains(address->address());
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
  return block->block().prefix().covers(other->block().prefix());
}

Value block_ip_function(FunctionContext& /*context*/, Args args) {
  const auto* block = args.size() == 1 ? opaque_as<BlockValue>(args, 0) : nullptr;
  return block == nullptr ? no_overload("ip", args) : address_value(block->block().address);
}

Value masked_function(FunctionContext& /*context*/, Args args) {
  const auto* value = args.size() == 1 ? opaque_as<BlockValue>(args, 0) : nullptr;
  if (value == nullptr) return no_overload("masked", args);
  Block block = value->block();
  block.address = block.prefix().first();
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

/// The wire format of protobuf, field by field. Internal to host/object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace davit::host {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// The most bytes of a varint.
inline constexpr std::size_t kVarintBytesMax = 10;

/// A varint at `at`, which moves behind it; nothing if it is cut or too long.
inline std::optional<std::uint64_t> take_varint(const char*& at, const char* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < end && shift < 7 * kVarintBytesMax; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Steps through the fields of one message. A value is decoded only on request.
///     WireReader in(message);
///     while (in.next()) use(in.number(), …);
///     if (!in.ok()) …
/// The bytes must outlive the reader, and what bytes() gives.
class WireReader {
 public:
  /// Whether a value may go on behind the end of the bytes.
  enum class Cut { kRefused, kAllowed };

  explicit WireReader(std::string_view message, Cut cut = Cut::kRefused)
      : at_(message.data()), end_(at_ + message.size()), cut_(cut) {}

  /// Goes to the next field; false at the end and when the bytes are malformed.
  bool next() {
    if (at_ == end_) return false;
    ok_ = read();
    return ok_;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  /// Whether the last value went on behind the end, which Cut::kAllowed permits.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] WireType type() const { return type_; }
  /// The value of a varint or of a number of fixed size.
  [[nodiscard]] std::uint64_t integer() const { return integer_; }
  /// The value of a field of WireType::kBytes.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  bool read() {
    const std::optional<std::uint64_t> tag = take_varint(at_, end_);
    if (!tag || *tag > UINT32_MAX) return false;
    number_ = static_cast<std::uint32_t>(*tag >> 3);
    type_ = static_cast<WireType>(*tag & 7);
    integer_ = 0;
    bytes_ = {};
    if (number_ == 0) return false;
    switch (type_) {
      case WireType::kVarint:
        return take_integer();
      case WireType::kBytes:
        if (!take_integer()) return false;
        return take_bytes(integer_);
      case WireType::kFixed64:
        return take_fixed(8);
      case WireType::kFixed32:
        return take_fixed(4);
    }
    return false;  // Groups, which Kubernetes does not have.
  }

  bool take_integer() {
    const std::optional<std::uint64_t> value = take_varint(at_, end_);
    integer_ = value.value_or(0);
    return value.has_value();
  }

  bool take_bytes(std::uint64_t size) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (size > left && cut_ == Cut::kRefused) return false;
    was_cut_ = size > left;
    bytes_ = {at_, size > left ? left : static_cast<std::size_t>(size)};
    at_ += bytes_.size();
    return true;
  }

  bool take_fixed(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) return false;
    std::memcpy(&integer_, at_, size);  // Little-endian, as this machine is.
    at_ += size;
    return true;
  }

  const char* at_;
  const char* end_;
  Cut cut_;
  bool ok_ = true;
  bool was_cut_ = false;
  WireType type_ = WireType::kVarint;
  std::uint32_t number_ = 0;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
};

}  // namespace davit::host

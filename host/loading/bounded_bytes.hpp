/// Reading records from bytes that may be damaged.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace davit::host {

/// A range of addresses or offsets.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;

  /// Whether the other lies within this one.
  [[nodiscard]] bool holds(const AddressRange& other) const {
    return other.begin >= begin && other.begin - begin <= size &&
           other.size <= size - (other.begin - begin);
  }
  [[nodiscard]] bool overlaps(const AddressRange& other) const {
    return size > 0 && other.size > 0 && begin < other.begin + other.size &&
           other.begin < begin + size;
  }
};

/// A view of bytes; what was viewed must outlive it. Nothing is returned for what lies outside.
class BoundedBytes {
 public:
  explicit BoundedBytes(std::string_view all) : all_(all) {}

  template <typename T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > all_.size() || all_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, all_.data() + offset, sizeof(T));
    return value;
  }

  /// The `index`-th of records that lie `stride` apart from `offset` on.
  template <typename T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset, std::uint64_t index,
                                    std::uint64_t stride) const {
    if (stride < sizeof(T) || index > all_.size() / stride) return std::nullopt;
    const std::uint64_t distance = index * stride;
    if (offset > all_.size() || distance > all_.size() - offset) return std::nullopt;
    return at<T>(offset + distance);
  }

  [[nodiscard]] std::optional<std::string_view> range(std::uint64_t offset,
                                                      std::uint64_t size) const {
    if (offset > all_.size() || size > all_.size() - offset) return std::nullopt;
    return all_.substr(offset, size);
  }

  /// Up to the NUL, which must come within the file.
  [[nodiscard]] std::optional<std::string_view> text(std::uint64_t offset) const {
    if (offset >= all_.size()) return std::nullopt;
    const std::size_t end = all_.find('\0', offset);
    if (end == std::string_view::npos) return std::nullopt;
    return all_.substr(offset, end - offset);
  }

 private:
  std::string_view all_;
};

}  // namespace davit::host

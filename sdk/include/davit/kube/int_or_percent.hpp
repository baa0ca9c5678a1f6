/// IntOrPercent: "2" pods or "25%" of them.
#pragma once

#include <charconv>
#include <cstdint>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <system_error>

namespace davit {

/// The direction in which a share of a total becomes a whole number.
enum class Rounding { kDown, kUp };

/// A number, or a share of a total that is known later.
class IntOrPercent {
 public:
  [[nodiscard]] static IntOrPercent of(std::int64_t number) { return {number, false}; }
  [[nodiscard]] static IntOrPercent percent(std::int64_t percent) { return {percent, true}; }

  /// Reads an integer, or a string of an integer and '%'. Everything else is kInvalid, an absent
  /// value too.
  [[nodiscard]] static Result<IntOrPercent> parse(Value value) {
    if (const std::optional<std::int64_t> number = value.integer()) return of(*number);
    const std::optional<std::string_view> text = value.text();
    if (!text)
      return Status(Code::kInvalid, "invalid value for IntOrString: neither int nor string");
    if (!text->ends_with('%')) {
      return Status(Code::kInvalid,
                    "invalid value for IntOrString: invalid type: string is not a "
                    "percentage");
    }
    const char* last = text->data() + text->size() - 1;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), last, number);
    if (error != std::errc() || end != last || number > INT32_MAX || number < INT32_MIN) {
      return Status(Code::kInvalid,
                    "invalid value for IntOrString: invalid value \"" + std::string(*text) + "\"");
    }
    return percent(number);
  }

  [[nodiscard]] bool is_percent() const { return is_percent_; }
  [[nodiscard]] std::int64_t number() const { return number_; }

  /// The number, or the percentage of `total` rounded as asked.
  [[nodiscard]] std::int64_t resolve(std::int64_t total, Rounding rounding) const {
    if (!is_percent_) return number_;
    const std::int64_t product = number_ * total;  // int32 times int32 range: cannot overflow.
    const std::int64_t quotient = product / 100;
    const std::int64_t rest = product % 100;
    if (rounding == Rounding::kUp) return quotient + (rest > 0 ? 1 : 0);
    return quotient - (rest < 0 ? 1 : 0);
  }

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;

 private:
  IntOrPercent(std::int64_t number, bool is_percent) : number_(number), is_percent_(is_percent) {}

  std::int64_t number_;
  bool is_percent_;
};

}  // namespace davit

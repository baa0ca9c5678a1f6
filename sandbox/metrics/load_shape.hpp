/// Usage as people write it: a quantity, a share of a container's request, or a function of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/kube/quantity.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::sandbox {

/// A number of units of 10^-9, for arithmetic: wide enough for the bytes of a cluster.
using Nanos = Quantity::Wide;
inline constexpr Nanos kNanosPerUnit = QuantityParts::kNanosPerOne;
inline constexpr Nanos kNanosMax = static_cast<Nanos>(QuantityParts::kNanosMax);

/// The value of a quantity's text; nothing if it is none.
[[nodiscard]] std::optional<Nanos> parse_nanos(std::string_view text);
/// "250m", "1500u", "2k": a decimal quantity.
[[nodiscard]] std::string decimal_text(Nanos nanos);
/// "64Mi": whole bytes as a binary quantity, rounded up.
[[nodiscard]] std::string binary_text(Nanos nanos);

/// Immutable. The forms of its text, where A and B are quantities or percents of the container's
/// request, and TIME is a duration of at most a day:
///
///   A                   always A
///   step(A, B, TIME)    A, and B from TIME on
///   ramp(A, B, TIME)    from A to B in a straight line within TIME, then B
///   wave(A, B, TIME)    from A to B and back within TIME, again and again
///   share(...)          one of the above, divided among the pods of a controller
class LoadShape {
 public:
  /// kInvalid says what was expected.
  [[nodiscard]] static Result<LoadShape> parse(std::string_view text);
  /// Always `value`.
  [[nodiscard]] static LoadShape of(Nanos value);

  /// The amount `age` after its beginning, for a container that requests `request`. Before the
  /// beginning it is the amount at the beginning.
  [[nodiscard]] Nanos at(Duration age, Nanos request) const;
  /// Whether it is divided among the pods of a controller.
  [[nodiscard]] bool is_shared() const { return shared_; }
  /// Whether it depends on a container's request.
  [[nodiscard]] bool has_percent() const { return from_.percent || to_.percent; }
  [[nodiscard]] bool has_negative() const { return from_.value < 0 || to_.value < 0; }

 private:
  enum class Shape : std::uint8_t { kConstant, kStep, kRamp, kWave };
  struct Level {
    Nanos value = 0;  ///< Percents are whole.
    bool percent = false;

    /// At most QuantityParts::kNanosMax, so that products of it fit.
    [[nodiscard]] Nanos of(Nanos request) const {
      return percent ? std::min(request * value / 100, kNanosMax) : value;
    }
  };
  [[nodiscard]] static std::optional<Level> parse_level(std::string_view text);
  [[nodiscard]] static std::optional<LoadShape> parse_shape(std::string_view text);

  Shape shape_ = Shape::kConstant;
  Level from_;
  Level to_;
  Duration time_{1};
  bool shared_ = false;
};

}  // namespace davit::sandbox

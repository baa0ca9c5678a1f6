#include "sandbox/metrics/load_shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <davit/kube/amount.hpp>
#include <davit/kube/signed_duration.hpp>

#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kForms =
    "must be a quantity, a percentage of the request, or step, ramp or wave of two of these and a "
    "duration of at most 24h, such as \"ramp(100m, 1, 30s)\"";
constexpr Duration kLongestShape = std::chrono::hours(24);
constexpr std::int64_t kPercentMax = 1'000'000;

/// `text` as `name(inner)`; nothing if it is another form.
std::optional<std::string_view> inner_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(name.size());
  if (!text.starts_with('(')) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

/// `from` to `to` at the share part / whole, in milliseconds, so that products fit.
Nanos between(Nanos from, Nanos to, Duration part, Duration whole) {
  const auto millis = [](Duration time) {
    return static_cast<Nanos>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  return from + (to - from) * millis(part) / std::max<Nanos>(millis(whole), 1);
}

}  // namespace

std::optional<Nanos> parse_nanos(std::string_view text) {
  const std::optional<Quantity> quantity = Quantity::parse(text);
  return quantity ? std::optional(quantity->nanos()) : std::nullopt;
}

std::string decimal_text(Nanos nanos) {
  return quantity_text(Quantity::of_nanos(nanos), QuantityFormat::kDecimal);
}

std::string binary_text(Nanos nanos) {
  return quantity_text(Quantity::of_nanos(nanos).rounded_up(), QuantityFormat::kBinary);
}

Result<LoadShape> LoadShape::parse(std::string_view text) {
  text = trimmed(text);
  const std::optional<std::string_view> shared = inner_of(text, "share");
  std::optional<LoadShape> out = parse_shape(shared ? trimmed(*shared) : text);
  if (!out) return Status(Code::kInvalid, std::string(kForms));
  out->shared_ = shared.has_value();
  return *out;
}

LoadShape LoadShape::of(Nanos value) {
  LoadShape out;
  out.from_ = out.to_ = Level{value, false};
  return out;
}

std::optional<LoadShape::Level> LoadShape::parse_level(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with('%')) {
    const std::optional<Nanos> value = parse_nanos(text);
    return value ? std::optional(Level{*value, false}) : std::nullopt;
  }
  text.remove_suffix(1);
  std::int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || percent < 0 || percent > kPercentMax) return std::nullopt;
  return Level{percent, true};
}

std::optional<LoadShape> LoadShape::parse_shape(std::string_view text) {
  struct Named {
    std::string_view name;
    Shape shape;
  };
  constexpr std::array kShapes = {Named{"step", Shape::kStep}, Named{"ramp", Shape::kRamp},
                                  Named{"wave", Shape::kWave}};
  LoadShape out;
  for (const Named& each : kShapes) {
    std::optional<std::string_view> inner = inner_of(text, each.name);
    if (!inner) continue;
    const std::optional<Level> from = parse_level(take_until(*inner, ","));
    const std::optional<Level> to = parse_level(take_until(*inner, ","));
    const std::optional<Duration> time = parse_signed_duration(trimmed(*inner));
    if (!from || !to || !time) return std::nullopt;
    if (*time < std::chrono::milliseconds(1) || *time > kLongestShape) return std::nullopt;
    out.shape_ = each.shape;
    out.from_ = *from;
    out.to_ = *to;
    out.time_ = *time;
    return out;
  }
  const std::optional<Level> level = parse_level(text);
  if (!level) return std::nullopt;
  out.from_ = out.to_ = *level;
  return out;
}

Nanos LoadShape::at(Duration age, Nanos request) const {
  const Nanos from = from_.of(request);
  const Nanos to = to_.of(request);
  age = std::max(age, Duration(0));
  switch (shape_) {
    case Shape::kConstant:
      return from;
    case Shape::kStep:
      return age < time_ ? from : to;
    case Shape::kRamp:
      return between(from, to, std::min(age, time_), time_);
    case Shape::kWave: {
      const Duration phase = age % time_;
      const Duration half = time_ / 2;
      return between(from, to, phase < half ? phase : time_ - phase, half);
    }
  }
  return from;
}

}  // namespace davit::sandbox

#include "sandbox/metrics/amount.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/duration.hpp"

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

std::string digits_of(Nanos value) {
  const bool negative = value < 0;
  std::string out;
  do {
    const int digit = static_cast<int>(value % 10);
    out += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) out += '-';
  std::ranges::reverse(out);
  return out;
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
  const Result<QuantityParts> parts = parse_quantity(text);
  if (!parts) return std::nullopt;
  const auto nanos = static_cast<Nanos>(parts->nanos());
  return parts->negative ? -nanos : nanos;
}

std::string decimal_text(Nanos nanos) {
  constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "",  "k",
                                                          "M", "G", "T", "P", "E"};
  if (nanos == 0) return "0";
  std::size_t step = 0;
  for (; step + 1 < kSuffixes.size() && nanos % 1000 == 0; ++step) nanos /= 1000;
  return digits_of(nanos) + std::string(kSuffixes[step]);
}

std::string binary_text(Nanos nanos) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  Nanos bytes = nanos / kNanosPerUnit + (nanos % kNanosPerUnit > 0 ? 1 : 0);
  std::size_t step = 0;
  for (; step + 1 < kSuffixes.size() && bytes != 0 && bytes % 1024 == 0; ++step) bytes /= 1024;
  return digits_of(bytes) + std::string(kSuffixes[step]);
}

Result<Amount> Amount::parse(std::string_view text) {
  text = trimmed(text);
  const std::optional<std::string_view> shared = inner_of(text, "share");
  std::optional<Amount> out = parse_shape(shared ? trimmed(*shared) : text);
  if (!out) return Status(Code::kInvalid, std::string(kForms));
  out->shared_ = shared.has_value();
  return *out;
}

Amount Amount::of(Nanos value) {
  Amount out;
  out.from_ = out.to_ = Level{value, false};
  return out;
}

std::optional<Amount::Level> Amount::parse_level(std::string_view text) {
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

std::optional<Amount> Amount::parse_shape(std::string_view text) {
  struct Named {
    std::string_view name;
    Shape shape;
  };
  constexpr std::array kShapes = {Named{"step", Shape::kStep}, Named{"ramp", Shape::kRamp},
                                  Named{"wave", Shape::kWave}};
  Amount out;
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

Nanos Amount::at(Duration age, Nanos request) const {
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

#include "plugins/resourcequota/amount.hpp"

#include <algorithm>

namespace davit::resourcequota {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kOne = QuantityParts::kNanosPerOne;
constexpr Wide kMax = static_cast<Wide>(QuantityParts::kNanosMax);

/// The digits of a number that is not negative and fits into 64 bits after all suffixes.
std::string digits_of(Wide number) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
    number /= 10;
  } while (number != 0);
  return out;
}

/// With the largest power of 1024 that divides it.
std::string binary_text(Wide number) {
  constexpr std::string_view kSuffixes = "KMGTPE";
  constexpr Wide kStep = 1024;
  std::size_t step = 0;
  while (step < kSuffixes.size() && number % kStep == 0) {
    number /= kStep;
    ++step;
  }
  std::string out = digits_of(number);
  if (step > 0) out.append(1, kSuffixes[step - 1]).append("i");
  return out;
}

/// With the largest power of 1000 that divides it, from 10^-9 on.
std::string decimal_text(Wide nanos, QuantityFormat format) {
  constexpr std::string_view kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  constexpr std::size_t kOnes = 3;
  constexpr Wide kStep = 1000;
  std::size_t step = 0;
  while (step + 1 < std::size(kSuffixes) && nanos % kStep == 0) {
    nanos /= kStep;
    ++step;
  }
  const std::string out = digits_of(nanos);
  if (format != QuantityFormat::kExponent) return out + std::string(kSuffixes[step]);
  if (step == kOnes) return out;
  const int exponent = 3 * (static_cast<int>(step) - static_cast<int>(kOnes));
  return out + "e" + std::to_string(exponent);
}

}  // namespace

Amount Amount::whole(std::int64_t number) {
  Amount out;
  out.nanos_ = Wide{number} * kOne;
  return out;
}

std::optional<Amount> Amount::parse(std::string_view text) {
  const Result<QuantityParts> parts = parse_quantity(text);
  if (!parts) return std::nullopt;
  Amount out;
  out.nanos_ = static_cast<Wide>(parts->nanos());
  if (parts->negative) out.nanos_ = -out.nanos_;
  out.format_ = parts->format;
  return out;
}

std::optional<Amount> Amount::read(Value value) {
  return parse(value.kind() == Kind::kNumber ? value.number() : value.string());
}

Amount& Amount::operator+=(const Amount& more) {
  if (nanos_ == 0) format_ = more.format_;
  nanos_ = std::clamp(nanos_ + more.nanos_, -kMax, kMax);
  return *this;
}

Amount& Amount::operator-=(const Amount& less) {
  if (nanos_ == 0) format_ = less.format_;
  nanos_ = std::clamp(nanos_ - less.nanos_, -kMax, kMax);
  return *this;
}

Amount Amount::rounded_up() const {
  Amount out = *this;
  const Wide rest = nanos_ % kOne;
  if (rest == 0) return out;
  out.nanos_ -= rest;
  if (nanos_ > 0) out.nanos_ = std::min(out.nanos_ + kOne, kMax);
  return out;
}

std::string Amount::text() const {
  constexpr Wide kBinaryMin = 1024 * kOne;
  const bool is_negative = nanos_ < 0;
  const Wide size = is_negative ? -nanos_ : nanos_;
  if (size == 0) return "0";
  const std::string sign = is_negative ? "-" : "";
  if (format_ == QuantityFormat::kBinary && size >= kBinaryMin && size % kOne == 0) {
    return sign + binary_text(size / kOne);
  }
  const bool is_binary = format_ == QuantityFormat::kBinary;
  return sign + decimal_text(size, is_binary ? QuantityFormat::kDecimal : format_);
}

}  // namespace davit::resourcequota

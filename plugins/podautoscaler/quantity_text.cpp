#include "plugins/podautoscaler/quantity_text.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace davit::podautoscaler {
namespace {

constexpr std::int64_t kStep = 1000;
constexpr std::int64_t kBinaryStep = 1024;

/// `number` with the largest suffix that leaves it whole.
template <std::size_t kCount>
std::string with_suffix(std::int64_t number, std::int64_t step,
                        const std::array<std::string_view, kCount>& suffixes) {
  std::size_t at = 0;
  for (; at + 1 < kCount && number % step == 0; ++at) number /= step;
  return std::to_string(number) + std::string(suffixes[at]);
}

}  // namespace

std::string quantity_text(std::int64_t milli, QuantityUnit unit) {
  constexpr std::array<std::string_view, 8> kDecimal = {"m", "", "k", "M", "G", "T", "P", "E"};
  constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  if (milli == 0) return "0";
  const std::int64_t whole = milli / kStep;
  const bool is_large = whole >= kBinaryStep || whole <= -kBinaryStep;
  if (unit == QuantityUnit::kBinary && milli % kStep == 0 && is_large) {
    return with_suffix(whole, kBinaryStep, kBinary);
  }
  return with_suffix(milli, kStep, kDecimal);
}

}  // namespace davit::podautoscaler

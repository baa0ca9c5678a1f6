#include "sandbox/kinds/age_text.hpp"

#include <davit/kube/time.hpp>

namespace davit::sandbox {
namespace {

using std::to_string;

/// "5m", or "5m3s" when `small` is not zero.
std::string two_units(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  std::string out = to_string(large) + large_unit;
  if (small != 0) out += to_string(small) + small_unit;
  return out;
}

constexpr std::int64_t kHoursPerYear = 24 * 365;

}  // namespace

std::string human_duration(Duration duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  // Clocks of two machines may differ a little: less than two seconds is "now".
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return to_string(seconds) + 's';
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return two_units(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return to_string(minutes) + 'm';
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return to_string(hours) + 'h';
  if (hours < 24 * 8) return two_units(hours / 24, 'd', hours % 24, 'h');
  if (hours < kHoursPerYear * 2) return to_string(hours / 24) + 'd';
  if (hours < kHoursPerYear * 8) {
    return two_units(hours / kHoursPerYear, 'y', hours / 24 % 365, 'd');
  }
  return to_string(hours / kHoursPerYear) + 'y';
}

std::string human_age(std::string_view from, WallTime now) {
  const auto start = parse_time(from);
  return start ? human_duration(now - *start) : "<unknown>";
}

}  // namespace davit::sandbox

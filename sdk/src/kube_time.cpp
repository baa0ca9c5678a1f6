#include <algorithm>
#include <cstddef>
#include <davit/kube/time.hpp>

namespace davit {
namespace {

constexpr std::string_view kTimeLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroTimeLayout = "2006-01-02T15:04:05.000000Z07:00";
constexpr std::size_t kMicroDigits = 6;

/// Reads one time; says what stopped it in the words of Go's time package.
class TimeReader {
 public:
  TimeReader(std::string_view text, std::string_view layout)
      : text_(text), rest_(text), layout_(layout) {}

  Result<WireTime> read() {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (!number(4, "2006", year) || !mark("-") || !number(2, "01", month) || !mark("-") ||
        !number(2, "02", day) || !mark("T") || !number(2, "15", hour) || !mark(":") ||
        !number(2, "04", minute) || !mark(":") || !number(2, "05", second)) {
      return cannot_parse();
    }
    WireTime out;
    if (!fraction(out.nanos)) return cannot_parse();
    const std::optional<int> offset = zone();
    if (!offset) return cannot_parse();
    if (!rest_.empty()) return wrong(": extra text: \"" + std::string(rest_) + '"');
    if (month < 1 || month > 12) return wrong(": month out of range");
    const std::chrono::year_month_day date = std::chrono::year(year) / month / day;
    if (!date.ok()) return wrong(": day out of range");
    if (hour > 23) return wrong(": hour out of range");
    if (minute > 59) return wrong(": minute out of range");
    if (second > 59) return wrong(": second out of range");
    const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                                          std::chrono::minutes(minute) +
                                          std::chrono::seconds(second - *offset);
    out.seconds = time.time_since_epoch().count();
    return out;
  }

 private:
  static constexpr std::size_t kNanoDigits = 9;

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool number(std::size_t digits, std::string_view element, int& out) {
    element_ = element;
    if (rest_.size() < digits) return false;
    for (const char c : rest_.substr(0, digits)) {
      if (!is_digit(c)) return false;
      out = out * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  bool mark(std::string_view text) {
    element_ = text;
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool fraction(std::int32_t& nanos) {
    const bool micro = layout_ == kMicroTimeLayout;
    element_ = ".000000";
    if (rest_.empty() || (rest_[0] != '.' && rest_[0] != ',')) return !micro;
    const auto end = std::find_if_not(rest_.begin() + 1, rest_.end(), is_digit);
    const auto digits = static_cast<std::size_t>(end - rest_.begin()) - 1;
    if (digits == 0 || (micro && digits != kMicroDigits)) return false;
    for (std::size_t i = 0; i < kNanoDigits; ++i) {
      nanos = nanos * 10 + (i < digits ? rest_[i + 1] - '0' : 0);
    }
    rest_.remove_prefix(digits + 1);
    return true;
  }
  /// Seconds east of Greenwich.
  std::optional<int> zone() {
    element_ = "Z07:00";
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    if (!rest_.starts_with('+') && !rest_.starts_with('-')) return std::nullopt;
    const std::string_view all = rest_;
    const int sign = rest_[0] == '+' ? 1 : -1;
    rest_.remove_prefix(1);
    int hours = 0, minutes = 0;
    const bool read = number(2, "Z07:00", hours) && mark(":") && number(2, "Z07:00", minutes);
    element_ = "Z07:00";
    if (read && hours <= 24 && minutes < 60) return sign * (hours * 60 + minutes) * 60;
    rest_ = all;
    return std::nullopt;
  }
  [[nodiscard]] Status wrong(std::string_view why) const {
    return Status(Code::kInvalid, "parsing time \"" + std::string(text_) + '"' + std::string(why));
  }
  [[nodiscard]] Status cannot_parse() const {
    return wrong(" as \"" + std::string(layout_) + "\": cannot parse \"" + std::string(rest_) +
                 "\" as \"" + std::string(element_) + '"');
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view layout_;
  std::string_view element_;  // The present element of the layout.
};

void append_padded(std::string& out, unsigned value, std::size_t digits) {
  const std::string text = std::to_string(value);
  out.append(digits - std::min(digits, text.size()), '0');
  out += text;
}

/// The text without the zone.
std::string local_time_text(const WireTime& time) {
  // The years that four digits can write.
  constexpr std::int64_t kSecondsMin = -62'167'219'200;
  constexpr std::int64_t kSecondsMax = 253'402'300'799;
  const std::chrono::sys_seconds instant{
      std::chrono::seconds(std::clamp(time.seconds, kSecondsMin, kSecondsMax))};
  const auto days = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(instant - days);
  std::string out;
  append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, static_cast<unsigned>(clock.hours().count()), 2);
  out += ':';
  append_padded(out, static_cast<unsigned>(clock.minutes().count()), 2);
  out += ':';
  append_padded(out, static_cast<unsigned>(clock.seconds().count()), 2);
  return out;
}

}  // namespace

Result<WireTime> parse_wire_time(std::string_view text) {
  return TimeReader(text, kTimeLayout).read();
}

Result<WireTime> parse_wire_micro_time(std::string_view text) {
  return TimeReader(text, kMicroTimeLayout).read();
}

std::string time_text(const WireTime& time) { return local_time_text(time) + 'Z'; }

std::string micro_time_text(const WireTime& time) {
  constexpr unsigned kNanosPerMicro = 1000;
  std::string out = local_time_text(time) + '.';
  append_padded(out, static_cast<unsigned>(std::max(time.nanos, 0)) / kNanosPerMicro, kMicroDigits);
  return out + 'Z';
}

WireTime wire_time(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  return {whole.time_since_epoch().count(),
          static_cast<std::int32_t>(std::chrono::nanoseconds(time - whole).count())};
}

std::optional<WallTime> parse_time(std::string_view text) {
  const Result<WireTime> time = parse_wire_time(text);
  if (!time) return std::nullopt;
  // Compared in seconds, which hold every year; nanoseconds do not.
  const std::chrono::sys_seconds whole{std::chrono::seconds(time->seconds)};
  if (whole < std::chrono::floor<std::chrono::seconds>(kTimeMin)) return kTimeMin;
  if (whole >= std::chrono::floor<std::chrono::seconds>(kTimeMax)) return kTimeMax;
  return WallTime(whole) + Duration(time->nanos);
}

std::string format_time(WallTime time) { return time_text(wire_time(time)); }

std::string format_micro_time(WallTime time) { return micro_time_text(wire_time(time)); }

}  // namespace davit

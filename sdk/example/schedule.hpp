/// Schedule: when a cron expression of five fields is due, in UTC.
#pragma once

#include <array>
#include <bitset>
#include <charconv>
#include <chrono>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

/// "minute hour day-of-month month day-of-week"; each field is `*`, numbers, ranges and lists of
/// them, with a step behind `/`. Months and days of the week may be names of three letters. If both
/// days are restricted, a day that fits one of them is enough.
class Schedule {
 public:
  [[nodiscard]] static davit::Result<Schedule> parse(std::string_view text) {
    Schedule schedule;
    std::array<std::string_view, 5> fields{};
    std::size_t count = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end > 0 && count < fields.size()) fields[count] = text.substr(0, end);
      if (end > 0) ++count;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    const bool good = count == 5 && read(fields[0], {0, 59, {}}, schedule.minutes_) &&
                      read(fields[1], {0, 23, {}}, schedule.hours_) &&
                      read(fields[2], {1, 31, {}}, schedule.days_) &&
                      read(fields[3], {1, 12, kMonths}, schedule.months_) &&
                      read(fields[4], {0, 6, kWeekdays}, schedule.weekdays_);
    if (!good) {
      return davit::Status(davit::Code::kInvalid,
                           "a schedule has five fields, such as \"*/5 8-17 * * mon-fri\"");
    }
    schedule.any_day_ = fields[2].starts_with('*');
    schedule.any_weekday_ = fields[4].starts_with('*');
    return schedule;
  }

  /// The first time after `after`; nothing if there is none within five years: "0 0 30 2 *".
  [[nodiscard]] std::optional<davit::WallTime> next(davit::WallTime after) const {
    using namespace std::chrono;
    auto time = floor<minutes>(after) + minutes(1);
    const auto end = time + years(5);
    while (time < end) {
      const auto day = floor<days>(time);
      if (!fits(day)) {
        time = day + days(1);
      } else if (!hours_[static_cast<std::size_t>(floor<hours>(time - day).count())]) {
        time = floor<hours>(time) + hours(1);
      } else if (!minutes_[static_cast<std::size_t>(floor<minutes>(time - day).count() % 60)]) {
        time += minutes(1);
      } else {
        return time;
      }
    }
    return std::nullopt;
  }

 private:
  using Bits = std::bitset<60>;
  static constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  static constexpr std::string_view kWeekdays = "sunmontuewedthufrisat";

  struct Field {
    unsigned least;
    unsigned most;
    std::string_view names;
  };

  [[nodiscard]] bool fits(std::chrono::sys_days day) const {
    const std::chrono::year_month_day date(day);
    const bool month = months_[static_cast<unsigned>(date.month())];
    const bool of_month = days_[static_cast<unsigned>(date.day())];
    const bool of_week = weekdays_[std::chrono::weekday(day).c_encoding()];
    return month && (any_day_ || any_weekday_ ? of_month && of_week : of_month || of_week);
  }

  static std::optional<unsigned> number(std::string_view text, const Field& field) {
    for (std::size_t i = 0; text.size() == 3 && i < field.names.size(); i += 3) {
      bool same = true;
      for (std::size_t c = 0; c < 3; ++c) same = same && (text[c] | 0x20) == field.names[i + c];
      if (same) return static_cast<unsigned>(i / 3) + field.least;
    }
    unsigned out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && out >= field.least && out <= field.most ? std::optional(out) : std::nullopt;
  }

  /// Adds the numbers of a field; false: it is malformed.
  static bool read(std::string_view text, const Field& field, Bits& out) {
    while (true) {
      const std::size_t comma = text.find(',');
      if (!read_range(text.substr(0, comma), field, out)) return false;
      if (comma == std::string_view::npos) return true;
      text.remove_prefix(comma + 1);
    }
  }
  static bool read_range(std::string_view text, const Field& field, Bits& out) {
    std::optional<unsigned> step = 1;
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) step = number(text.substr(slash + 1), {1, 59, {}});
    text = text.substr(0, slash);
    const std::size_t dash = text.find('-');
    std::optional<unsigned> first = field.least;
    std::optional<unsigned> last = field.most;
    if (text != "*") {
      first = number(text.substr(0, dash), field);
      // "5/10" counts from 5 to the end; "5" alone is 5.
      if (dash != std::string_view::npos) {
        last = number(text.substr(dash + 1), field);
      } else if (slash == std::string_view::npos) {
        last = first;
      }
    }
    if (!step || !first || !last || *first > *last) return false;
    for (unsigned i = *first; i <= *last; i += *step) out.set(i);
    return true;
  }

  Bits minutes_;
  Bits hours_;
  Bits days_;
  Bits months_;
  Bits weekdays_;
  bool any_day_ = false;
  bool any_weekday_ = false;
};

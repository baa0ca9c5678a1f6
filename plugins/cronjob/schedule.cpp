#include "plugins/cronjob/schedule.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace davit::schedule {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::year_month_day;

constexpr std::chrono::years kSearched{5};  // robfig's bound; from a leap year to the next but one.

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// One search for the next start: from large units to small ones, each step to a later time. The
/// first step that skips something sets what is smaller to its least.
class Search {
 public:
  Search(const CronFields& fields, const TimeZone& zone) : fields_(fields), zone_(zone) {}

  [[nodiscard]] std::optional<Instant> run(Instant after) {
    move_to(after + seconds(1));
    const std::chrono::year last = date().year() + kSearched;
    while (date().year() <= last) {
      if (fit_month() && fit_day() && fit_hour() && fit_minute() && fit_second()) return time_;
    }
    return std::nullopt;
  }

 private:
  // Each returns false where a larger unit has changed, so that the search begins again.

  bool fit_month() {
    while (!fields_.month.has(static_cast<unsigned>(date().month()))) {
      if (first_skip()) move_to(local_days(date().year() / date().month() / 1));
      const auto next = (date().year() / date().month() + std::chrono::months(1)) / 1;
      // As Go adds a month: the 31st of a month with 30 days is the first of the next.
      const days into = date().day() - std::chrono::day(1);
      move_to(local_days(next) + into + clock());
      if (date().month() == std::chrono::January) return false;
    }
    return true;
  }

  bool fit_day() {
    while (!fields_.fits_day(day())) {
      if (first_skip()) move_to(day());
      const Instant before = time_;
      move_to(day() + days(1) + clock());
      // The change of an offset at midnight: not twice the same day, and none left out.
      const hours hour = floor<hours>(clock());
      if (hour > hours(12))
        move_to(time_ + hours(24) - hour);
      else
        move_to(time_ - hour);
      // A zone that has left out a whole day would be searched for ever.
      if (time_ <= before) move_to(before + hours(24));
      if (date().day() == std::chrono::day(1)) return false;
    }
    return true;
  }

  bool fit_hour() {
    while (!fields_.hour.has(static_cast<unsigned>(floor<hours>(clock()).count()))) {
      if (first_skip()) move_to(day() + floor<hours>(clock()));
      move_to(time_ + hours(1));
      if (floor<hours>(clock()) == hours(0)) return false;
    }
    return true;
  }

  bool fit_minute() {
    const auto minute = [this] { return (floor<minutes>(clock()) % hours(1)).count(); };
    while (!fields_.minute.has(static_cast<unsigned>(minute()))) {
      if (first_skip()) move_to(floor<minutes>(time_));
      move_to(time_ + minutes(1));
      if (minute() == 0) return false;
    }
    return true;
  }

  bool fit_second() {
    const seconds into = clock() % minutes(1);
    if (into == seconds(0)) return true;
    static_cast<void>(first_skip());
    move_to(time_ + minutes(1) - into);
    return false;
  }

  /// True the first time.
  bool first_skip() { return !std::exchange(has_skipped_, true); }

  void move_to(Instant time) {
    time_ = time;
    local_ = zone_.local(time);
  }
  void move_to(LocalTime local) { move_to(zone_.instant(local)); }

  [[nodiscard]] local_days day() const { return floor<days>(local_); }
  [[nodiscard]] year_month_day date() const { return year_month_day(day()); }
  [[nodiscard]] seconds clock() const { return local_ - day(); }

  const CronFields& fields_;
  const TimeZone& zone_;
  Instant time_;
  LocalTime local_;
  bool has_skipped_ = false;
};

}  // namespace

Result<Schedule> Schedule::parse(std::string_view text, const TimeZone& local) {
  if (text.empty()) return Status(Code::kInvalid, "empty spec string");
  if (!text.starts_with("TZ=") && !text.starts_with("CRON_TZ=")) return in_zone(text, local);
  const std::size_t begin = text.find('=') + 1;
  const std::size_t end = text.find(' ');
  if (end == std::string_view::npos) {
    return Status(Code::kInvalid, "invalid schedule format: nothing follows the time zone");
  }
  const std::string name(text.substr(begin, end - begin));
  const Result<TimeZone> zone = TimeZone::load(name, local);
  if (!zone) return zone.error().with_context("provided bad location " + name);
  return in_zone(trimmed(text.substr(end)), *zone);
}

Result<Schedule> Schedule::in_zone(std::string_view text, const TimeZone& zone) {
  const Result<CronSchedule> parsed = CronSchedule::parse(text);
  if (!parsed) return parsed.error();
  return Schedule(*parsed, zone);
}

std::optional<Instant> Schedule::next(Instant after) const {
  if (cron_.interval > seconds(0)) return after + cron_.interval;
  if (cron_.fields.never_fits()) return std::nullopt;
  return Search(cron_.fields, zone_).run(after);
}

}  // namespace davit::schedule

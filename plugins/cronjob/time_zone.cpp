#include "plugins/cronjob/time_zone.hpp"

#include <date/tz.h>

#include <array>
#include <cstdio>
#include <exception>

namespace davit::schedule {
namespace {

using std::chrono::seconds;

/// A zone that changes its offset twice a year. The library does not read the rules at the end of a
/// zone's file, so a database that leaves out what follows from them shows no change after 2007.
constexpr const char* kProbeZone = "America/New_York";
constexpr Instant kProbeTime{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};

/// The zone of the library for one that Go has too, as it opens any file of the database: the
/// copies in posix/ and right/, of which the latter count leap seconds, and two names without a
/// continent.
std::string name_in_library(const std::string& name) {
  for (const std::string_view copy : {"posix/", "right/"}) {
    if (name.starts_with(copy)) return name.substr(copy.size());
  }
  if (name == "posixrules") return kProbeZone;
  return name == "Factory" ? "Etc/UTC" : name;
}

Result<const date::time_zone*> find(const std::string& name) {
  try {
    return date::locate_zone(name_in_library(name));
  } catch (const std::exception&) {
    return Status(Code::kInvalid, "unknown time zone " + name);
  }
}

/// Whether the database can be relied on.
Status check_database() {
  const Result<const date::time_zone*> probe = find(kProbeZone);
  if (!probe) {
    return Status(Code::kUnsupported, "no time zone database: install the package tzdata");
  }
  if ((*probe)->get_info(kProbeTime).end - kProbeTime < std::chrono::years(1)) return {};
  return Status(Code::kUnsupported,
                "the time zone database is in the slim format, which leaves out the changes to "
                "come: install one that zic -b fat has made, such as Debian's package tzdata");
}

/// The system's zone; null when that is not known.
const date::time_zone* system_zone() {
  try {
    return date::current_zone();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

Result<TimeZone> TimeZone::load(std::string_view name, const TimeZone& local) {
  if (name.empty() || name == "UTC") return TimeZone();
  if (name == "Local") return local;
  if (name.find("..") != std::string_view::npos || name.front() == '/' || name.front() == '\\') {
    return Status(Code::kInvalid, "time: invalid location name");
  }
  const Status readable = check_database();
  if (!readable.ok()) return readable;
  const Result<const date::time_zone*> zone = find(std::string(name));
  if (!zone) return zone.error();
  return TimeZone(*zone);
}

TimeZone TimeZone::of_process(std::optional<std::string_view> tz) {
  if (!tz) return TimeZone(system_zone());
  if (tz->starts_with(':')) tz->remove_prefix(1);
  return load(*tz, TimeZone()).value_or(TimeZone());
}

TimeZone::Period TimeZone::period_at(Instant time) const {
  if (zone_ == nullptr) return {Instant::min(), Instant::max(), seconds(0)};
  const date::sys_info info = zone_->get_info(time);
  return {info.begin, info.end, info.offset};
}

Instant TimeZone::instant(LocalTime local) const {
  const Instant as_utc(local.time_since_epoch());
  const Period period = period_at(as_utc);
  const Instant time = as_utc - period.offset;
  if (time >= period.begin && time < period.end) return time;
  return as_utc - offset_at(time);
}

std::string TimeZone::text(Instant time) const {
  const LocalTime local_time = local(time);
  const auto day = std::chrono::floor<std::chrono::days>(local_time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(local_time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  std::string out(text.data());
  const auto offset = std::chrono::floor<std::chrono::minutes>(offset_at(time));
  if (offset_at(time) == seconds(0)) return out + "Z";
  const std::chrono::hh_mm_ss distance(std::chrono::abs(offset));
  std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset.count() < 0 ? '-' : '+',
                static_cast<int>(distance.hours().count()),
                static_cast<int>(distance.minutes().count()));
  return out + text.data();
}

}  // namespace davit::schedule

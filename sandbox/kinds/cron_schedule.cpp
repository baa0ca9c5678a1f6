#include "sandbox/kinds/cron_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/lower_case.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly"};

/// One field's range. Names represent `min` and the following numbers.
struct Bounds {
  std::int64_t min;
  std::int64_t max;
  std::span<const std::string_view> names;
};
const Bounds kFields[] = {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kDays}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (const std::string_view each : split(text, ' ')) {
    if (!each.empty()) out.push_back(each);
  }
  return out;
}

/// A number, or the name of one; `error` is set when it is neither.
std::int64_t parse_number(std::string_view text, const Bounds& bounds, std::string& error) {
  const auto name =
      std::find(bounds.names.begin(), bounds.names.end(), lower_case(std::string(text)));
  if (name != bounds.names.end()) return bounds.min + (name - bounds.names.begin());
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    const std::string quoted = '"' + std::string(text) + '"';
    error = "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " + quoted +
            ": invalid syntax";
  } else if (value < 0) {
    error = "negative number (" + std::to_string(value) + ") not allowed: " + std::string(text);
  }
  return value;
}

/// "a", "a-b", "*", each with "/step".
std::string check_range(std::string_view text, const Bounds& bounds) {
  const std::string whole(text);
  std::string error;
  const std::vector<std::string_view> steps = split(text, '/');
  const std::vector<std::string_view> ends = split(steps.front(), '-');
  std::int64_t low = bounds.min;
  std::int64_t high = bounds.max;
  if (ends.front() != "*" && ends.front() != "?") {
    low = parse_number(ends.front(), bounds, error);
    if (!error.empty()) return error;
    if (ends.size() > 2) return "too many hyphens: " + whole;
    high = ends.size() == 2 ? parse_number(ends[1], bounds, error) : low;
    if (!error.empty()) return error;
  }
  std::int64_t step = 1;
  if (steps.size() > 2) return "too many slashes: " + whole;
  if (steps.size() == 2) {
    step = parse_number(steps[1], {bounds.min, bounds.max, {}}, error);
    if (!error.empty()) return error;
    if (ends.size() == 1) high = bounds.max;
  }
  const auto number = [](std::int64_t value) { return "(" + std::to_string(value) + ")"; };
  if (low < bounds.min) {
    return "beginning of range " + number(low) + " below minimum " + number(bounds.min) + ": " +
           whole;
  }
  if (high > bounds.max) {
    return "end of range " + number(high) + " above maximum " + number(bounds.max) + ": " + whole;
  }
  if (low > high) {
    return "beginning of range " + number(low) + " beyond end of range " + number(high) + ": " +
           whole;
  }
  if (step == 0) return "step of range should be a positive number: " + whole;
  return "";
}

std::string check_descriptor(std::string_view text) {
  const auto* known = std::find(std::begin(kDescriptors), std::end(kDescriptors), text);
  if (known != std::end(kDescriptors)) return "";
  constexpr std::string_view kEvery = "@every ";
  if (!text.starts_with(kEvery)) return "unrecognized descriptor: " + std::string(text);
  const std::string_view duration = text.substr(kEvery.size());
  constexpr std::string_view kUnits = "hmsnuµ";
  if (!duration.empty() && duration.front() >= '0' && duration.front() <= '9' &&
      kUnits.find(duration.back()) != std::string_view::npos) {
    return "";
  }
  return "failed to parse duration " + std::string(text) + ": time: invalid duration \"" +
         std::string(duration) + '"';
}

}  // namespace

std::string check_cron_schedule(std::string_view schedule) {
  if (schedule.starts_with('@')) return check_descriptor(schedule);
  const std::vector<std::string_view> fields = words(schedule);
  if (fields.size() != std::size(kFields)) {
    std::string list;
    for (const std::string_view each : fields) {
      list.append(list.empty() ? "" : " ").append(each);
    }
    return "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" + list + ']';
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view each : split(fields[i], ',')) {
      if (each.empty()) continue;
      if (std::string error = check_range(each, kFields[i]); !error.empty()) return error;
    }
  }
  return "";
}

bool is_time_zone(std::string_view name) {
  constexpr std::string_view kAreas[] = {
      "Africa/",    "America/", "Antarctica/", "Arctic/", "Asia/",  "Atlantic/",
      "Australia/", "Brazil/",  "Canada/",     "Chile/",  "Etc/",   "Europe/",
      "Indian/",    "Mexico/",  "Pacific/",    "US/",     "posix/", "right/"};
  constexpr std::string_view kPlain[] = {
      "CET",     "CST6CDT",   "Cuba",     "EET",     "EST",    "EST5EDT",   "Egypt",  "Eire",
      "Factory", "GB",        "GB-Eire",  "GMT",     "GMT+0",  "GMT-0",     "GMT0",   "Greenwich",
      "HST",     "Hongkong",  "Iceland",  "Iran",    "Israel", "Jamaica",   "Japan",  "Kwajalein",
      "Libya",   "MET",       "MST",      "MST7MDT", "NZ",     "NZ-CHAT",   "Navajo", "PRC",
      "PST8PDT", "Poland",    "Portugal", "ROC",     "ROK",    "Singapore", "Turkey", "UCT",
      "UTC",     "Universal", "W-SU",     "WET",     "Zulu",   "posixrules"};
  if (std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain)) return true;
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  };
  return std::all_of(name.begin(), name.end(), allowed) && !name.ends_with('/') &&
         std::any_of(std::begin(kAreas), std::end(kAreas),
                     [&](std::string_view area) { return name.starts_with(area); });
}

}  // namespace davit::sandbox

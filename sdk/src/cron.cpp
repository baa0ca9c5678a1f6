#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <davit/kube/cron.hpp>
#include <davit/kube/duration.hpp>
#include <davit/kube/go_quote.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace davit {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/// The values that a field may have. Names stand for `min` and the numbers after it.
struct Bounds {
  std::int64_t min;
  std::int64_t max;
  std::span<const std::string_view> names;
};
constexpr std::array<Bounds, 5> kBounds = {
    {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kWeekdays}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kDescriptors = {
    {{"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"},
     {"@monthly", "0 0 1 * *"},
     {"@weekly", "0 0 * * 0"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@hourly", "0 * * * *"}}};
constexpr std::string_view kEvery = "@every ";

Status invalid(std::string text) { return Status(Code::kInvalid, std::move(text)); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_at_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::vector<std::string_view> out;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return out;
    out.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(out.back().size());
  }
}

bool same_in_lower_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Go's strconv.Atoi, and no negative numbers.
Result<std::int64_t> parse_number(std::string_view text) {
  const auto refused = [text](const char* why) {
    return invalid("failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
                   go_quoted(text) + ": " + why);
  };
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (end != last || error == std::errc::invalid_argument) return refused("invalid syntax");
  if (error == std::errc::result_out_of_range) return refused("value out of range");
  if (number < 0) {
    return invalid("negative number (" + std::to_string(number) +
                   ") not allowed: " + std::string(text));
  }
  return number;
}

Result<std::int64_t> parse_value(std::string_view text, const Bounds& bounds) {
  std::int64_t value = bounds.min;
  for (const std::string_view name : bounds.names) {
    if (same_in_lower_case(text, name)) return value;
    ++value;
  }
  return parse_number(text);
}

/// "*", "a" or "a-b", each with "/step" or without.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool starred = false;
};

/// Reads the part before the slash.
Result<Range> parse_ends(std::string_view text, std::string_view item, const Bounds& bounds) {
  const std::vector<std::string_view> ends = split(text, '-');
  if (ends.front() == "*" || ends.front() == "?") {
    return Range{.first = bounds.min, .last = bounds.max, .starred = true};
  }
  const Result<std::int64_t> first = parse_value(ends.front(), bounds);
  if (!first) return first.error();
  if (ends.size() == 1) return Range{.first = *first, .last = *first};
  if (ends.size() > 2) return invalid("too many hyphens: " + std::string(item));
  const Result<std::int64_t> last = parse_value(ends[1], bounds);
  if (!last) return last.error();
  return Range{.first = *first, .last = *last};
}

Result<Range> parse_range(std::string_view item, const Bounds& bounds) {
  const std::vector<std::string_view> parts = split(item, '/');
  Result<Range> range = parse_ends(parts.front(), item, bounds);
  if (!range || parts.size() == 1) return range;
  if (parts.size() > 2) return invalid("too many slashes: " + std::string(item));
  const Result<std::int64_t> step = parse_number(parts[1]);
  if (!step) return step.error();
  range->step = *step;
  // "5/20" counts from 5 to the end.
  if (parts.front().find('-') == std::string_view::npos) range->last = bounds.max;
  range->starred = range->starred && *step <= 1;
  return range;
}

Status check_range(const Range& range, std::string_view item, const Bounds& bounds) {
  const auto in_parentheses = [](std::int64_t number) {
    return "(" + std::to_string(number) + ")";
  };
  const std::string first = "beginning of range " + in_parentheses(range.first);
  const std::string last = "end of range " + in_parentheses(range.last);
  const std::string of = ": " + std::string(item);
  if (range.first < bounds.min) {
    return invalid(first + " below minimum " + in_parentheses(bounds.min) + of);
  }
  if (range.last > bounds.max) {
    return invalid(last + " above maximum " + in_parentheses(bounds.max) + of);
  }
  if (range.first > range.last) return invalid(first + " beyond " + last + of);
  if (range.step == 0) return invalid("step of range should be a positive number" + of);
  return {};
}

Result<CronField> parse_field(std::string_view text, const Bounds& bounds) {
  CronField field;
  for (const std::string_view item : split(text, ',')) {
    if (item.empty()) continue;
    const Result<Range> range = parse_range(item, bounds);
    if (!range) return range.error();
    const Status checked = check_range(*range, item, bounds);
    if (!checked.ok()) return checked;
    field.starred = field.starred || range->starred;
    // A step beyond the end would overflow the sum.
    const std::int64_t step = std::min(range->step, bounds.max + 1);
    for (std::int64_t value = range->first; value <= range->last; value += step) {
      field.values |= std::uint64_t{1} << static_cast<unsigned>(value);
    }
  }
  return field;
}

/// Go's time.ParseDuration; at least a second, and whole ones.
std::optional<std::chrono::seconds> parse_interval(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Duration> interval = parse_duration(text);
  if (!interval) return std::nullopt;
  if (is_negative) return std::chrono::seconds(1);
  return std::max(std::chrono::floor<std::chrono::seconds>(*interval), std::chrono::seconds(1));
}

}  // namespace

Result<CronFields> CronFields::parse(std::string_view text) {
  const std::vector<std::string_view> texts = split_at_blanks(text);
  if (texts.size() != kBounds.size()) {
    std::string list;
    for (const std::string_view each : texts) {
      list.append(list.empty() ? "" : " ").append(each);
    }
    return invalid("expected exactly 5 fields, found " + std::to_string(texts.size()) + ": [" +
                   list + "]");
  }
  std::array<CronField, kBounds.size()> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Result<CronField> field = parse_field(texts[i], kBounds[i]);
    if (!field) return field.error();
    fields[i] = *field;
  }
  return CronFields{fields[0], fields[1], fields[2], fields[3], fields[4]};
}

bool CronFields::fits_day(std::chrono::local_days day) const {
  const std::chrono::year_month_day date(day);
  const bool of_month = day_of_month.has(static_cast<unsigned>(date.day()));
  const bool of_week = day_of_week.has(std::chrono::weekday(day).c_encoding());
  return day_of_month.starred || day_of_week.starred ? of_month && of_week : of_month || of_week;
}

bool CronFields::never_fits() const {
  return minute.values == 0 || hour.values == 0 || month.values == 0 ||
         (day_of_month.values == 0 && day_of_week.values == 0);
}

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  const auto* const named = std::find_if(kDescriptors.begin(), kDescriptors.end(),
                                         [text](const auto& each) { return each.first == text; });
  if (named != kDescriptors.end()) text = named->second;
  if (!text.starts_with('@')) {
    const Result<CronFields> fields = CronFields::parse(text);
    if (!fields) return fields.error();
    return CronSchedule{.fields = *fields};
  }
  if (!text.starts_with(kEvery)) return invalid("unrecognized descriptor: " + std::string(text));
  const std::string_view interval = text.substr(kEvery.size());
  const std::optional<std::chrono::seconds> parsed = parse_interval(interval);
  if (parsed) return CronSchedule{.interval = *parsed};
  return invalid("failed to parse duration " + std::string(text) + ": time: invalid duration " +
                 go_quoted(interval));
}

}  // namespace davit

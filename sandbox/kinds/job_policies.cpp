#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/job_spec.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kRulesMax = 20;
constexpr std::size_t kExitCodesMax = 255;
constexpr std::size_t kConditionsMax = 20;
constexpr std::size_t kIndexesBytesMax = std::size_t{64} * 1024;

void check_count(const Json& list, std::size_t max, const FieldPath& path, FieldErrors& errors) {
  if (list.size() > max) errors.push_back(field_too_many(path.text(), list.size(), max));
}

/// A member that is one of `allowed`. Absent: required.
void check_word(const Json& object, std::string_view field, const std::vector<std::string>& allowed,
                const FieldPath& path, FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value.text().empty()) {
    std::string words;
    for (const std::string& each : allowed) {
      words += (words.empty() ? "\"" : " \"") + each + '"';
    }
    errors.push_back(field_required(path.text(field), "valid values: [" + words + ']'));
  } else if (std::ranges::find(allowed, value.text()) == allowed.end()) {
    errors.push_back(field_not_supported(path.text(field), value, allowed));
  }
}

bool has_container(const Json& pod_spec, const std::string& name) {
  for (const std::string_view each : {"containers", "initContainers"}) {
    for (const Json& container : pod_spec.get(each).items()) {
      if (container.get("name").text() == name) return true;
    }
  }
  return false;
}

void check_exit_codes(const Json& codes, const Json& pod_spec, const FieldPath& path,
                      FieldErrors& errors) {
  check_word(codes, "operator", {"In", "NotIn"}, path, errors);
  if (const Json& name = codes.get("containerName");
      !name.is_null() && !has_container(pod_spec, name.text())) {
    errors.push_back(
        field_invalid(path.text("containerName"), name,
                      "must be one of the container or initContainer names in the pod template"));
  }
  const Json& values = codes.get("values");
  const FieldPath list = path.child("values");
  if (values.size() == 0) {
    errors.push_back(field_invalid(list.text(), values, "at least one value is required"));
  }
  check_count(values, kExitCodesMax, list, errors);
  std::set<std::int64_t> seen;
  bool ordered = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Json& each = values.items()[i];
    const std::int64_t code = each.integer_or(0);
    const std::string place = list.index(i).text();
    if (code == 0 && codes.get("operator").text() == "In") {
      errors.push_back(field_invalid(place, each, "must not be 0 for the In operator"));
    }
    if (!seen.empty() && values.items()[i - 1].integer_or(0) > code) ordered = false;
    if (!seen.insert(code).second) errors.push_back(field_duplicate(place, each));
  }
  if (!ordered) errors.push_back(field_invalid(list.text(), values, "must be ordered"));
}

void check_conditions(const Json& patterns, const FieldPath& path, FieldErrors& errors) {
  check_count(patterns, kConditionsMax, path, errors);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const FieldPath place = path.index(i);
    const Json& pattern = patterns.items()[i];
    const std::string& type = pattern.get("type").text();
    add_invalid(check_qualified_name(type), type, place.child("type"), errors);
    check_word(pattern, "status", {"False", "True", "Unknown"}, place, errors);
  }
}

void check_failure_rule(const Json& rule, const Json& spec, const FieldPath& path,
                        FieldErrors& errors) {
  const Json& action = rule.get("action");
  if (action.text() != "FailIndex") {
    check_word(rule, "action", {"Count", "FailIndex", "FailJob", "Ignore"}, path, errors);
  } else if (!is_set(spec, "backoffLimitPerIndex")) {
    errors.push_back(
        field_invalid(path.text("action"), action, "requires the backoffLimitPerIndex to be set"));
  }
  const bool has_codes = is_set(rule, "onExitCodes");
  const bool has_conditions = rule.get("onPodConditions").size() != 0;
  if (has_codes) {
    check_exit_codes(rule.get("onExitCodes"), spec.get("template").get("spec"),
                     path.child("onExitCodes"), errors);
  }
  if (has_conditions) {
    check_conditions(rule.get("onPodConditions"), path.child("onPodConditions"), errors);
  }
  if (has_codes != has_conditions) return;
  errors.push_back(
      field_invalid(path.text(), rule,
                    has_codes ? "specifying both OnExitCodes and OnPodConditions is not supported"
                              : "specifying one of OnExitCodes and OnPodConditions is required"));
}

/// The number of indexes in "0,3-5"; empty for a text that is no rising list below `completions`.
std::optional<std::int64_t> count_indexes(std::string_view text, std::int64_t completions) {
  std::int64_t count = 0;
  std::optional<std::int64_t> last;
  const auto number = [&](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t out = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, out);
    if (error != std::errc() || stop != end || out >= completions) return std::nullopt;
    return out;
  };
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto end = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    const bool rises = first && end && (dash == std::string_view::npos || *first < *end);
    if (!rises || (last && *last >= *first)) return std::nullopt;
    count += *end - *first + 1;
    last = end;
    if (part.size() == text.size()) return count;
    text.remove_prefix(part.size() + 1);
    if (text.empty()) return std::nullopt;
  }
  return count;
}

void check_success_rule(const Json& rule, std::int64_t completions, const FieldPath& path,
                        FieldErrors& errors) {
  const Json& indexes = rule.get("succeededIndexes");
  const Json& count = rule.get("succeededCount");
  if (indexes.is_null() && count.is_null()) {
    errors.push_back(field_required(
        path.text(), "at least one of succeededCount or succeededIndexes must be specified"));
  }
  std::int64_t listed = 0;
  if (!indexes.is_null()) {
    const std::string place = path.text("succeededIndexes");
    if (indexes.text().size() > kIndexesBytesMax) {
      errors.push_back(field_too_long(place, kIndexesBytesMax));
    }
    const std::optional<std::int64_t> found = count_indexes(indexes.text(), completions);
    if (!found) errors.push_back(field_invalid(place, indexes, "error parsing succeededIndexes"));
    listed = found.value_or(0);
  }
  if (count.is_null()) return;
  const auto at_most = [&](std::int64_t max, std::string_view what) {
    if (count.integer_or(0) <= max) return;
    errors.push_back(field_invalid(path.text("succeededCount"), count,
                                   "must be less than or equal to " + std::to_string(max) +
                                       " (the number of " + std::string(what) + ')'));
  };
  if (count.integer_or(0) < 0) {
    errors.push_back(field_invalid(path.text("succeededCount"), count, kNotNegative));
  }
  at_most(completions, "specified completions");
  if (!indexes.is_null()) at_most(listed, "indexes in the specified succeededIndexes field");
}

}  // namespace

void check_failure_policy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(spec, "podFailurePolicy")) return;
  const Json& rules = spec.get("podFailurePolicy").get("rules");
  const FieldPath list = path.child("podFailurePolicy.rules");
  check_count(rules, kRulesMax, list, errors);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_failure_rule(rules.items()[i], spec, list.index(i), errors);
  }
}

void check_success_policy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(spec, "successPolicy")) return;
  const Json& policy = spec.get("successPolicy");
  if (spec.get("completionMode").text() != "Indexed") {
    errors.push_back(
        field_invalid(path.text("successPolicy"), policy, "requires indexed completion mode"));
    return;
  }
  const Json& rules = policy.get("rules");
  const FieldPath list = path.child("successPolicy.rules");
  if (rules.size() == 0) {
    errors.push_back(field_required(
        list.text(), "at least one rules must be specified when the successPolicy is specified"));
  }
  check_count(rules, kRulesMax, list, errors);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_success_rule(rules.items()[i], spec.get("completions").integer_or(0), list.index(i),
                       errors);
  }
}

}  // namespace davit::sandbox

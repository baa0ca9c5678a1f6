#include "sandbox/kinds/device_checks.hpp"

#include <algorithm>
#include <vector>

#include "lib/cel/device_selector.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kPoolNameMax = 253;
constexpr std::size_t kIdentifierMax = 32;
constexpr std::size_t kRawObjectBytesMax = 10 * 1024;
constexpr std::size_t kExpressionBytesMax = 10 * 1024;
constexpr std::size_t kSelectorsMax = 32;
constexpr std::size_t kConditionsMax = 8;
constexpr std::size_t kBindingConditionsMax = 4;
constexpr std::size_t kUuidSize = 36;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = 32 * 1024;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void check_identifier(std::string_view id, const FieldPath& path, FieldErrors& errors) {
  if (id.size() > kIdentifierMax) errors.push_back(field_too_long(path.text(), kIdentifierMax));
  const bool is_right =
      !id.empty() && is_letter(id.front()) &&
      std::all_of(id.begin(), id.end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (is_right) return;
  errors.push_back(field_invalid(
      path.text(), Json(id),
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
      "validation is '[A-Za-z_][A-Za-z0-9_]*')"));
}

/// Unless it is one of the effects of a taint.
void check_effect(const std::string& effect, const FieldPath& path, FieldErrors& errors) {
  const std::vector<std::string> known = {"NoExecute", "NoSchedule", "None"};
  if (std::find(known.begin(), known.end(), effect) != known.end()) return;
  errors.push_back(field_not_supported(path.text("effect"), Json(effect), known));
}

void check_selector(const Json& selector, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(selector, "cel")) {
    errors.push_back(field_required(path.text("cel")));
    return;
  }
  const Json& expression = selector.get("cel").get("expression");
  const std::string field = path.text("cel.expression");
  if (expression.text().size() > kExpressionBytesMax) {
    errors.push_back(field_too_long(field, kExpressionBytesMax));
    return;
  }
  const cel::SelectorVerdict verdict = cel::judge_selector(expression.text());
  if (!verdict.error.empty()) {
    errors.push_back(field_invalid(field, Json(expression.text()), verdict.error));
  } else if (verdict.cost_max > cel::kSelectorCostMax) {
    errors.push_back(field_forbidden(field, "too complex, exceeds cost limit"));
  }
}

void check_toleration(const Json& toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string& key = toleration.get("key").text();
  if (!key.empty()) add_invalid(check_qualified_name(key), key, path.child("key"), errors);
  const std::string& value = toleration.get("value").text();
  const std::string& comparison = toleration.get("operator").text();
  if (comparison == "Exists") {
    if (!value.empty()) {
      errors.push_back(
          field_invalid(path.text("value"), Json(value), "must be empty for operator `Exists`"));
    }
  } else if (comparison == "Equal") {
    add_invalid(check_label_value(value), value, path.child("value"), errors);
  } else if (comparison.empty()) {
    errors.push_back(field_required(path.text("operator")));
  } else {
    errors.push_back(
        field_not_supported(path.text("operator"), Json(comparison), {"Equal", "Exists"}));
  }
  const std::string& effect = toleration.get("effect").text();
  if (!effect.empty()) check_effect(effect, path, errors);
}

bool is_condition_reason(std::string_view reason) {
  const auto is_inner = [](char c) { return is_letter(c) || is_digit(c) || c == ',' || c == ':'; };
  if (!is_letter(reason.front()) || reason.front() == '_') return false;
  if (!is_letter(reason.back()) && !is_digit(reason.back())) return false;
  return std::all_of(reason.begin(), reason.end(), is_inner);
}

void check_status_condition(const Json& condition, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = condition.get("type").text();
  add_invalid(check_qualified_name(type), type, path.child("type"), errors);
  const std::string& status = condition.get("status").text();
  if (status != "True" && status != "False" && status != "Unknown") {
    errors.push_back(
        field_not_supported(path.text("status"), Json(status), {"False", "True", "Unknown"}));
  }
  const Json& generation = condition.get("observedGeneration");
  if (generation.integer_or(0) < 0) {
    errors.push_back(field_invalid(path.text("observedGeneration"), generation,
                                   "must be greater than or equal to zero"));
  }
  (void)require_text(condition, "lastTransitionTime", path, errors);
  const std::string& reason = condition.get("reason").text();
  if (reason.empty()) {
    errors.push_back(field_required(path.text("reason")));
  } else {
    if (reason.size() > kReasonBytesMax) {
      errors.push_back(field_too_long(path.text("reason"), kReasonBytesMax));
    }
    if (!is_condition_reason(reason)) {
      errors.push_back(field_invalid(path.text("reason"), Json(reason),
                                     "a condition reason must start with alphabetic character, "
                                     "optionally followed by a string of alphanumeric characters "
                                     "or '_,:', and must end with an alphanumeric character or "
                                     "'_'"));
    }
  }
  if (condition.get("message").text().size() > kMessageBytesMax) {
    errors.push_back(field_too_long(path.text("message"), kMessageBytesMax));
  }
}

void check_condition_names(const Json& names, const FieldPath& path, FieldErrors& errors) {
  (void)check_items(names, kBindingConditionsMax, path, errors,
                    [&errors](const Json& each, const FieldPath& at) {
                      add_invalid(check_qualified_name(each.text()), each.text(), at, errors);
                    });
}

}  // namespace

void check_pool_name(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(field_required(path.text()));
    return;
  }
  if (name.size() > kPoolNameMax) errors.push_back(field_too_long(path.text(), kPoolNameMax));
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    add_invalid(check_dns_subdomain(part), part, path, errors);
    begin = end + 1;
  }
}

void check_device_attribute_name(std::string_view name, const FieldPath& path,
                                 FieldErrors& errors) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return check_identifier(name, path, errors);
  const std::string_view domain = name.substr(0, slash);
  const std::string_view id = name.substr(slash + 1);
  if (id.find('/') != std::string_view::npos) return;  // Accepted, as upstream does.
  if (domain.empty()) {
    errors.push_back(field_invalid(path.text(), Json(""), "the domain must not be empty"));
  } else {
    check_csi_driver_name(domain, path, errors);
  }
  if (id.empty()) {
    errors.push_back(field_invalid(path.text(), Json(""), "the name must not be empty"));
  } else {
    check_identifier(id, path, errors);
  }
}

void check_full_attribute_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  check_device_attribute_name(name, path, errors);
  if (name.find('/') != std::string_view::npos) return;
  errors.push_back(
      field_invalid(path.text(), Json(name),
                    "a fully qualified name must be a domain and a name separated by a slash"));
}

void check_uuid(const std::string& uid, const FieldPath& path, FieldErrors& errors) {
  const std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  bool is_right = uid.size() == kUuidSize;
  for (std::size_t i = 0; is_right && i < kUuidSize; ++i) {
    const char c = uid[i];
    is_right = form[i] == '-' ? c == '-' : is_digit(c) || (c >= 'a' && c <= 'f');
  }
  if (is_right) return;
  errors.push_back(field_invalid(path.text(), Json(uid),
                                 "uid must be in RFC 4122 normalized form, "
                                 "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase "
                                 "hexadecimal characters"));
}

void check_raw_object(const Json& object, std::string_view field, const FieldPath& path,
                      FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value.is_null()) {
    errors.push_back(field_required(path.text(field)));
  } else if (to_text(value).size() > kRawObjectBytesMax) {
    errors.push_back(field_too_long(path.text(field), kRawObjectBytesMax));
  } else if (!value.is_object()) {
    errors.push_back(
        field_invalid(path.text(field), Json("<value omitted>"), "must be a valid JSON object"));
  }
}

void check_device_selectors(const Json& selectors, const FieldPath& path, FieldErrors& errors) {
  (void)check_items(
      selectors, kSelectorsMax, path, errors,
      [&errors](const Json& each, const FieldPath& at) { check_selector(each, at, errors); });
}

void check_device_configuration(const Json& configuration, const FieldPath& path,
                                FieldErrors& errors) {
  if (!is_set(configuration, "opaque")) {
    errors.push_back(field_required(path.text("opaque")));
    return;
  }
  const Json& opaque = configuration.get("opaque");
  const FieldPath at = path.child("opaque");
  check_csi_driver_name(opaque.get("driver").text(), at.child("driver"), errors);
  check_raw_object(opaque, "parameters", at, errors);
}

void check_device_taint(const Json& taint, const FieldPath& path, FieldErrors& errors) {
  const std::string& key = taint.get("key").text();
  add_invalid(check_qualified_name(key), key, path.child("key"), errors);
  const std::string& value = taint.get("value").text();
  add_invalid(check_label_value(value), value, path.child("value"), errors);
  const std::string& effect = taint.get("effect").text();
  if (effect.empty()) {
    errors.push_back(field_required(path.text("effect")));
  } else {
    check_effect(effect, path, errors);
  }
}

void check_device_tolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : tolerations.items()) {
    check_toleration(each, path.index(index++), errors);
  }
}

void check_status_conditions(const Json& conditions, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : conditions.items()) {
    const FieldPath at = path.index(index++);
    const Json& type = each.get("type");
    if (!seen.insert(type.text()).second) {
      errors.push_back(field_duplicate(at.text("type"), type));
    }
    check_status_condition(each, at, errors);
  }
}

void check_condition_count(const Json& conditions, const FieldPath& path, FieldErrors& errors) {
  const std::size_t count = conditions.items().size();
  if (count > kConditionsMax) errors.push_back(field_too_many(path.text(), count, kConditionsMax));
}

void check_binding_conditions(const Json& holder, const FieldPath& path, FieldErrors& errors) {
  const Json& conditions = holder.get("bindingConditions");
  const Json& failures = holder.get("bindingFailureConditions");
  const FieldPath at = path.child("bindingConditions");
  const FieldPath failures_at = path.child("bindingFailureConditions");
  check_condition_names(conditions, at, errors);
  check_condition_names(failures, failures_at, errors);
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : conditions.items()) {
    const FieldPath place = at.index(index++);
    if (!seen.insert(each.text()).second) errors.push_back(field_duplicate(place.text(), each));
  }
  std::set<std::string> seen_failures;
  index = 0;
  for (const Json& each : failures.items()) {
    const FieldPath place = failures_at.index(index++);
    if (!seen_failures.insert(each.text()).second) {
      errors.push_back(field_duplicate(place.text(), each));
    }
    if (seen.contains(each.text())) {
      errors.push_back(field_invalid(
          place.text(), each, "bindingFailureConditions must not overlap with bindingConditions"));
    }
  }
  if (seen.empty() && !seen_failures.empty()) {
    errors.push_back(field_invalid(at.text(), Json(),
                                   "bindingConditions are required to use "
                                   "bindingFailureConditions"));
  }
  if (seen_failures.empty() && !seen.empty()) {
    errors.push_back(field_invalid(failures_at.text(), Json(),
                                   "bindingFailureConditions are required to use "
                                   "bindingConditions"));
  }
}

}  // namespace davit::sandbox

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/extension_checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kExempt = "exempt";
constexpr std::int64_t kPrecedenceMax = 10'000;
constexpr std::int64_t kQueuesMax = 10'000'000;
/// A request's hash has so many bits to pick its queues with.
constexpr std::int64_t kHashBits = 60;

bool has_wildcard(const Json& list) {
  return std::ranges::any_of(list.items(), [](const Json& each) { return each.text() == "*"; });
}

/// Checks that a list is not empty, and that "*" stands alone in it. Returns whether its elements
/// need a check of their own: not if there are none, or one is "*".
bool check_list(const Json& rule, std::string_view field, std::string_view required,
                std::string_view others, const FieldPath& path, FieldErrors& errors) {
  const Json& list = rule.get(field);
  if (list.items().empty()) {
    errors.push_back(field_required(path.text(field), required));
    return false;
  }
  if (!has_wildcard(list)) return true;
  if (list.size() > 1) {
    errors.push_back(
        field_invalid(path.text(field), list,
                      "if '*' is present, must not specify other " + std::string(others)));
  }
  return false;
}

void check_verbs(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kVerbs = {
      "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"};
  if (!check_list(rule, "verbs", "verbs must contain at least one value", "verbs", path, errors)) {
    return;
  }
  const Json& verbs = rule.get("verbs");
  const bool known = std::ranges::all_of(verbs.items(), [](const Json& each) {
    return std::ranges::find(kVerbs, each.text()) != kVerbs.end();
  });
  if (!known) errors.push_back(field_not_supported(path.text("verbs"), verbs, kVerbs));
}

/// Why a path is none; "" for those that are.
std::string_view url_flaw(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (!url.starts_with('/')) return "must start with slash";
  if (url.find(' ') != url.npos) return "must not contain white-space";
  if (url.find("//") != url.npos) return "must not contain double slash";
  const auto stars = std::ranges::count(url, '*');
  const bool suffix = stars == 1 && url.ends_with("/*");
  return stars == 0 || suffix ? "" : "wildcard can only do suffix matching";
}

void check_url_rule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kUrls = "nonResourceURLs";
  check_verbs(rule, path, errors);
  if (!check_list(rule, kUrls, "nonResourceURLs must contain at least one value",
                  "non-resource URLs", path, errors)) {
    return;
  }
  const FieldPath urls = path.child(kUrls);
  std::size_t index = 0;
  for (const Json& each : rule.get(kUrls).items()) {
    const std::string place = urls.index(index++).text();
    const std::string_view flaw = url_flaw(each.text());
    if (!flaw.empty()) errors.push_back(field_invalid(place, each, flaw));
  }
}

void check_namespaces(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  const Json& list = rule.get("namespaces");
  if (list.items().empty() && rule.get("clusterScope").boolean()) return;
  if (!check_list(rule, "namespaces",
                  "resource rules that are not cluster scoped must supply at least one namespace",
                  "namespaces", path, errors)) {
    return;
  }
  const FieldPath namespaces = path.child("namespaces");
  std::size_t index = 0;
  for (const Json& each : list.items()) {
    const std::string place = namespaces.index(index++).text();
    for (const std::string& violation : check_dns_label(each.text())) {
      errors.push_back(field_invalid(
          place, each, "each member of this list must be '*' or a DNS-1123 label; " + violation));
    }
  }
}

void check_resource_rule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  check_verbs(rule, path, errors);
  check_list(rule, "apiGroups", "resource rules must supply at least one api group", "api groups",
             path, errors);
  check_list(rule, "resources", "resource rules must supply at least one resource", "resources",
             path, errors);
  check_namespaces(rule, path, errors);
}

void check_account(const Json& account, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = account.get("name").text();
  if (require_text(account, "name", path, errors) && name != "*") {
    add_invalid(check_dns_subdomain(name), name, path.child("name"), errors);
  }
  const std::string& ns = account.get("namespace").text();
  if (ns.empty()) {
    errors.push_back(
        field_required(path.text("namespace"), "must specify namespace for service account"));
  }
  if (!ns.empty()) add_invalid(check_dns_label(ns), ns, path.child("namespace"), errors);
}

/// A kind of subject, and the member that describes one.
struct SubjectForm {
  std::string_view kind;
  std::string_view member;
};
constexpr SubjectForm kSubjectForms[] = {
    {"ServiceAccount", "serviceAccount"}, {"User", "user"}, {"Group", "group"}};

void check_flow_subject(const Json& subject, const FieldPath& path, FieldErrors& errors) {
  const std::string& kind = subject.get("kind").text();
  const auto* const form = std::ranges::find(kSubjectForms, kind, &SubjectForm::kind);
  if (form == std::end(kSubjectForms)) {
    errors.push_back(
        field_not_supported(path.text("kind"), kind, {"Group", "ServiceAccount", "User"}));
    return;
  }
  const std::string member(form->member);
  const FieldPath place = path.child(member);
  if (!is_set(subject, member)) {
    errors.push_back(
        field_required(place.text(), member + " is required when subject kind is '" + kind + '\''));
  } else if (kind == "ServiceAccount") {
    check_account(subject.get(member), place, errors);
  } else {
    require_text(subject.get(member), "name", place, errors);
  }
  for (const SubjectForm& other : kSubjectForms) {
    if (other.kind == kind || !is_set(subject, other.member)) continue;
    errors.push_back(
        field_forbidden(path.text(other.member), std::string(other.member) +
                                                     " is forbidden when subject kind is not '" +
                                                     std::string(other.kind) + '\''));
  }
}

void check_flow_rule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  const auto each_of = [&](std::string_view field, auto check) {
    const FieldPath list = path.child(field);
    std::size_t index = 0;
    for (const Json& each : rule.get(field).items()) check(each, list.index(index++), errors);
    return index;
  };
  if (each_of("subjects", check_flow_subject) == 0) {
    errors.push_back(
        field_required(path.text("subjects"), "subjects must contain at least one value"));
  }
  if (rule.get("resourceRules").items().empty() && rule.get("nonResourceRules").items().empty()) {
    errors.push_back(field_required(
        path.text(), "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  each_of("resourceRules", check_resource_rule);
  each_of("nonResourceRules", check_url_rule);
}

void check_precedence(const Json& value, std::string_view name, FieldErrors& errors) {
  const std::string place = kSpec.text("matchingPrecedence");
  const std::int64_t number = value.integer_or(0);
  if (number <= 0) errors.push_back(field_invalid(place, value, "must be a positive value"));
  if (number > kPrecedenceMax) {
    errors.push_back(field_invalid(place, value, "must not be greater than 10000"));
  }
  if (number == 1 && name != kExempt) {
    errors.push_back(field_invalid(place, value,
                                   "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
}

void check_queuing(const Json& queuing, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kPositive = "must be positive";
  const auto refuse = [&](std::string_view field, std::string_view why) {
    errors.push_back(field_invalid(path.text(field), queuing.get(field), why));
  };
  const std::int64_t queues = number_at(queuing, {"queues"});
  const std::int64_t hand = number_at(queuing, {"handSize"});
  if (number_at(queuing, {"queueLengthLimit"}) <= 0) refuse("queueLengthLimit", kPositive);
  if (queues <= 0) {
    refuse("queues", kPositive);
  } else if (queues > kQueuesMax) {
    refuse("queues", "must not be greater than " + std::to_string(kQueuesMax));
  }
  if (hand <= 0) return refuse("handSize", kPositive);
  if (hand > queues) {
    return refuse("handSize", "should not be greater than queues (" + std::to_string(queues) + ')');
  }
  const double bits = std::log2(static_cast<double>(queues)) * static_cast<double>(hand);
  if (std::ceil(bits) > static_cast<double>(kHashBits)) {
    refuse("handSize", "required entropy bits of deckSize " + std::to_string(queues) +
                           " and handSize " + std::to_string(hand) +
                           " should not be greater than " + std::to_string(kHashBits));
  }
}

void check_limit_response(const Json& response, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = response.get("type").text();
  const bool queuing = is_set(response, "queuing");
  if (type == "Reject") {
    if (queuing) {
      errors.push_back(field_forbidden(path.text("queuing"),
                                       "must be nil if limited.limitResponse.type is not Limited"));
    }
  } else if (type != "Queue") {
    errors.push_back(field_not_supported(path.text("type"), type, {"Queue", "Reject"}));
  } else if (queuing) {
    check_queuing(response.get("queuing"), path.child("queuing"), errors);
  } else {
    errors.push_back(field_required(path.text("queuing"),
                                    "must not be empty if limited.limitResponse.type is Limited"));
  }
}

void check_limited(const Json& limited, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kLimited = "flowcontrol.v1.LimitedPriorityLevelConfiguration";
  check_fields(kLimited, limited, {"nominalConcurrencyShares"}, path, errors);
  check_limit_response(limited.get("limitResponse"), path.child("limitResponse"), errors);
  check_fields(kLimited, limited, {"lendablePercent", "borrowingLimitPercent"}, path, errors);
}

}  // namespace

void check_flow_schema(const Json& object, const Json* /*old*/, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  check_precedence(spec.get("matchingPrecedence"), name_of(object), errors);
  if (is_set(spec, "distinguisherMethod")) {
    const Json& method = spec.get("distinguisherMethod");
    const std::string& type = method.get("type").text();
    if (type != "ByNamespace" && type != "ByUser") {
      errors.push_back(field_not_supported(kSpec.text("distinguisherMethod.type"), method,
                                           {"ByNamespace", "ByUser"}));
    }
  }
  const FieldPath level = kSpec.child("priorityLevelConfiguration");
  const std::string& name = spec.get("priorityLevelConfiguration").get("name").text();
  if (name.empty()) {
    errors.push_back(field_required(level.text("name"), "must reference a priority level"));
  } else {
    add_invalid(check_dns_subdomain(name), name, level.child("name"), errors);
  }
  const FieldPath rules = kSpec.child("rules");
  std::size_t index = 0;
  for (const Json& each : spec.get("rules").items()) {
    check_flow_rule(each, rules.index(index++), errors);
  }
}

void check_priority_level(const Json& object, const Json* /*old*/, FieldErrors& errors) {
  constexpr std::string_view kKept = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  const Json& annotations = object.get("metadata").get("annotations");
  if (annotations.contains(kKept)) {
    errors.push_back(field_forbidden("metadata.annotations",
                                     "annotation '" + std::string(kKept) + "' is forbidden"));
  }
  const Json& spec = object.get("spec");
  const std::string& type = spec.get("type").text();
  if ((name_of(object) == kExempt) != (type == "Exempt")) {
    errors.push_back(field_invalid(kSpec.text("type"), type,
                                   "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  const FieldPath limited = kSpec.child("limited");
  const FieldPath exempt = kSpec.child("exempt");
  if (type == "Exempt") {
    if (is_set(spec, "limited")) {
      errors.push_back(field_forbidden(limited.text(), "must be nil if the type is not Limited"));
    }
    check_fields("flowcontrol.v1.ExemptPriorityLevelConfiguration", spec.get("exempt"), exempt,
                 errors);
  } else if (type != "Limited") {
    errors.push_back(field_not_supported(kSpec.text("type"), type, {"Exempt", "Limited"}));
  } else {
    if (is_set(spec, "exempt")) {
      errors.push_back(field_forbidden(exempt.text(), "must be nil if the type is Limited"));
    }
    if (is_set(spec, "limited")) {
      check_limited(spec.get("limited"), limited, errors);
    } else {
      errors.push_back(field_required(limited.text(), "must not be empty when type is Limited"));
    }
  }
}

void check_flow_control_status(const Json& object, FieldErrors& errors) {
  const FieldPath path("status.conditions");
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const Json& each : object.get("status").get("conditions").items()) {
    const FieldPath at = path.index(index++);
    const Json& type = each.get("type");
    if (!seen.insert(type.text()).second) {
      errors.push_back(field_duplicate(at.text("type"), type));
    }
    require_text(each, "type", at, errors);
  }
}

}  // namespace davit::sandbox

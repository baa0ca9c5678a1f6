#include <algorithm>
#include <davit/base64.hpp>
#include <set>
#include <string>
#include <vector>

#include "lib/cel/url.hpp"
#include "sandbox/kinds/admission_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kTimeoutSecondsMax = 30;
constexpr std::int64_t kPortMax = 65'535;

bool has_no_side_effects(const Json& hook) {
  const std::string& effects = hook.get("sideEffects").text();
  return effects == "None" || effects == "NoneOnDryRun";
}

/// The rules that an object may break which broke them before.
struct WebhookLeniency {
  bool side_effects = false;
  bool versions = false;
  bool names = false;
  bool conditions = false;
};

WebhookLeniency leniency_of(const Json& object, const Json* old) {
  WebhookLeniency out;
  if (old == nullptr) return out;
  const Json::Items& hooks = object.get("webhooks").items();
  const Json::Items& before = old->get("webhooks").items();
  std::set<std::string_view> names;
  out.conditions = hooks.size() == before.size();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Json& versions = before[i].get("admissionReviewVersions");
    out.side_effects |= !has_no_side_effects(before[i]);
    out.versions |= !versions.items().empty() && !has_known_version(versions);
    out.names |= !names.insert(before[i].get("name").text()).second;
    out.conditions = out.conditions && hooks[i].get("matchConditions").items() ==
                                           before[i].get("matchConditions").items();
  }
  return out;
}

void check_hook_name(const Json& name, const FieldPath& path, FieldErrors& errors) {
  if (name.text().empty()) {
    errors.push_back(field_required(path.text()));
    return;
  }
  std::string joined;
  for (const std::string& each : check_dns_subdomain(name.text())) {
    joined += (joined.empty() ? "" : ",") + each;
  }
  if (joined.empty() && std::ranges::count(name.text(), '.') < 2) {
    joined = "should be a domain with at least three segments separated by dots";
  }
  if (!joined.empty()) errors.push_back(field_invalid(path.text(), name, joined));
}

void check_hook_choices(const Json& hook, const WebhookLeniency& may, const FieldPath& path,
                        FieldErrors& errors) {
  check_choice(hook, "failurePolicy", {"Fail", "Ignore"}, path, errors);
  check_choice(hook, "matchPolicy", {"Equivalent", "Exact"}, path, errors);
  const std::vector<std::string> effects =
      may.side_effects ? std::vector<std::string>{"None", "NoneOnDryRun", "Some", "Unknown"}
                       : std::vector<std::string>{"None", "NoneOnDryRun"};
  if (is_set(hook, "sideEffects")) {
    check_choice(hook, "sideEffects", effects, path, errors);
  } else {
    std::string list;
    for (const std::string& each : effects) list += (list.empty() ? "" : ", ") + each;
    errors.push_back(field_required(path.text("sideEffects"), "must specify one of " + list));
  }
  const std::int64_t seconds = hook.get("timeoutSeconds").integer_or(1);
  if (seconds < 1 || seconds > kTimeoutSecondsMax) {
    errors.push_back(field_invalid(path.text("timeoutSeconds"), hook.get("timeoutSeconds"),
                                   "the timeout value must be between 1 and 30 seconds"));
  }
}

/// k8s: webhook.ValidateWebhookURL.
void check_hook_url(const Json& url, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const auto refuse = [&](std::string_view part, std::string_view why) {
    errors.push_back(field_invalid(path.text(), part, why));
  };
  const std::string_view text = url.text();
  const std::string_view fragment = text.substr(std::min(text.size(), text.find('#')));
  const std::string_view rest = text.substr(0, text.size() - fragment.size());
  const std::size_t colon = rest.find_first_of(":/?");
  cel::Url parsed;  // That of a relative one has neither scheme nor host.
  if (colon != rest.npos && rest[colon] == ':') {
    Result<cel::Url> result = cel::parse_request_url(rest);
    if (!result) {
      errors.push_back(field_required(
          path.text(), "url must be a valid URL: " + std::string(result.error().message()) +
                           std::string(kForm)));
      return;
    }
    parsed = std::move(*result);
  }
  if (parsed.scheme != "https") {
    refuse(parsed.scheme, "'https' is the only allowed URL scheme" + std::string(kForm));
  }
  if (parsed.host.empty()) refuse("", "host must be specified" + std::string(kForm));
  const std::size_t query = std::min(rest.size(), rest.find('?'));
  const std::size_t slashes = rest.find("//");
  if (slashes < query) {
    const std::string_view authority =
        rest.substr(slashes + 2, rest.find_first_of("/?", slashes + 2) - slashes - 2);
    const std::size_t at = authority.rfind('@');
    if (at != authority.npos) {
      refuse(authority.substr(0, at), "user information is not permitted in the URL");
    }
  }
  if (fragment.size() > 1) refuse(fragment.substr(1), "fragments are not permitted in the URL");
  if (query + 1 < rest.size()) {
    refuse(rest.substr(query + 1), "query parameters are not permitted in the URL");
  }
}

void check_service_port(const Json& service, const FieldPath& path, FieldErrors& errors) {
  const std::int64_t port = number_at(service, {"port"});
  if (port >= 1 && port <= kPortMax) return;
  errors.push_back(field_invalid(path.text("port"), Json(port),
                                 "port is not valid: must be between 1 and 65535, inclusive"));
}

void check_service_url_path(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  const auto refuse = [&](const std::string& why) {
    errors.push_back(field_invalid(path.text(), text, why));
  };
  if (text.empty() || text == "/") return;
  if (text == "//") return refuse("segment[0] may not be empty");
  if (!text.starts_with('/')) refuse("must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (std::size_t number = 0;; ++number) {
    const std::size_t end = std::min(rest.size(), rest.find('/'));
    const std::string segment = "segment[" + std::to_string(number) + ']';
    if (end == 0) refuse(segment + " may not be empty");
    for (const std::string& each : check_dns_subdomain(rest.substr(0, end))) {
      if (end != 0) refuse(segment + ": " + each);
    }
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

bool has_known_version(const Json& versions) {
  return lists_text(versions, "v1") || lists_text(versions, "v1beta1");
}

void check_client_config(const Json& config, const FieldPath& path, FieldErrors& errors) {
  if (is_set(config, "url") == is_set(config, "service")) {
    errors.push_back(field_required(path.text(), "exactly one of url or service is required"));
  } else if (is_set(config, "url")) {
    check_hook_url(config.get("url"), path.child("url"), errors);
  } else {
    const FieldPath place = path.child("service");
    const Json& service = config.get("service");
    // Upstream takes one for the other: a missing namespace is reported as a missing name.
    if (service.get("namespace").text().empty())
      errors.push_back(field_required(place.text("name")));
    if (service.get("name").text().empty())
      errors.push_back(field_required(place.text("namespace")));
    check_service_port(service, place, errors);
    check_service_url_path(service.get("path").text(), place.child("path"), errors);
  }
}

void check_version_list(const Json& versions, bool may_be_unknown, const FieldPath& path,
                        FieldErrors& errors) {
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const Json& each : versions.items()) {
    const FieldPath at = path.index(index++);
    if (!seen.insert(each.text()).second) {
      errors.push_back(field_invalid(at.text(), each, "duplicate version"));
    } else {
      add_invalid(check_dns1035_label(each.text()), each.text(), at, errors);
    }
  }
  if (may_be_unknown || has_known_version(versions)) return;
  errors.push_back(
      field_invalid(path.text(), versions, "must include at least one of v1, v1beta1"));
}

namespace {

void check_review_versions(const Json& versions, const WebhookLeniency& may, const FieldPath& path,
                           FieldErrors& errors) {
  if (versions.items().empty()) {
    errors.push_back(field_required(path.text(), "must specify one of v1, v1beta1"));
    return;
  }
  check_version_list(versions, may.versions, path, errors);
}

void check_webhook(const Json& hook, const WebhookLeniency& may, const FieldPath& path,
                   FieldErrors& errors) {
  check_hook_name(hook.get("name"), path.child("name"), errors);
  const FieldPath rules = path.child("rules");
  std::size_t index = 0;
  for (const Json& each : hook.get("rules").items()) {
    check_operation_rule(each, rules.index(index++), errors);
  }
  check_hook_choices(hook, may, path, errors);
  for (const std::string_view field : {"namespaceSelector", "objectSelector"}) {
    check_label_selector(hook.get(field), path.child(field), errors);
  }
  // Only mutating ones have it.
  check_choice(hook, "reinvocationPolicy", {"IfNeeded", "Never"}, path, errors);
  check_client_config(hook.get("clientConfig"), path.child("clientConfig"), errors);
  if (!may.conditions) {
    check_match_conditions(hook.get("matchConditions"), cel::Declares::kNo,
                           path.child("matchConditions"), errors);
  }
  check_review_versions(hook.get("admissionReviewVersions"), may,
                        path.child("admissionReviewVersions"), errors);
}

}  // namespace

void check_webhooks(const Json& object, const Json* old, FieldErrors& errors) {
  const WebhookLeniency may = leniency_of(object, old);
  const FieldPath path("webhooks");
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& each : object.get("webhooks").items()) {
    const FieldPath at = path.index(index++);
    check_webhook(each, may, at, errors);
    const Json& name = each.get("name");
    if (may.names || name.text().empty() || names.insert(name.text()).second) continue;
    errors.push_back(field_duplicate(at.text("name"), name));
  }
}

void check_api_service(const Json& object, const Json* /*old*/, FieldErrors& errors) {
  constexpr std::int64_t kGroupPriorityMax = 20'000;
  constexpr std::int64_t kVersionPriorityMax = 1'000;
  const Json& spec = object.get("spec");
  const std::string& group = spec.get("group").text();
  const std::string& version = spec.get("version").text();
  const std::string& name = name_of(object);
  const auto refuse = [&](std::string_view field, const Json& value, std::string_view why) {
    errors.push_back(field_invalid(kSpec.text(field), value, why));
  };
  const std::string wanted = version + '.' + group;
  if (name != wanted && !name.empty() && check_path_segment(name).empty()) {
    errors.push_back(
        field_invalid("metadata.name", name,
                      "must be `spec.version+\".\"+spec.group`: " + to_text(Json(wanted))));
  }
  if (!group.empty()) {
    add_invalid(check_dns_subdomain(group), group, kSpec.child("group"), errors);
  } else if (version != "v1") {
    errors.push_back(field_required(
        kSpec.text("group"), "only v1 may have an empty group and it better be legacy kube"));
  }
  add_invalid(check_dns1035_label(version), version, kSpec.child("version"), errors);
  const std::int64_t group_priority = number_at(spec, {"groupPriorityMinimum"});
  if (group_priority <= 0 || group_priority > kGroupPriorityMax) {
    refuse("groupPriorityMinimum", Json(group_priority), "must be positive and less than 20000");
  }
  const std::int64_t version_priority = number_at(spec, {"versionPriority"});
  if (version_priority <= 0 || version_priority > kVersionPriorityMax) {
    refuse("versionPriority", Json(version_priority), "must be positive and less than 1000");
  }
  const bool insecure = spec.get("insecureSkipTLSVerify").boolean();
  const std::string bundle = decode_base64(spec.get("caBundle").text()).value_or("");
  if (!is_set(spec, "service")) {
    if (!bundle.empty()) {
      refuse("caBundle", std::to_string(bundle.size()) + " bytes",
             "local APIServices may not have a caBundle");
    }
    if (insecure) {
      refuse("insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify");
    }
    return;
  }
  const FieldPath service = kSpec.child("service");
  require_text(spec.get("service"), "namespace", service, errors);
  require_text(spec.get("service"), "name", service, errors);
  check_service_port(spec.get("service"), service, errors);
  if (insecure && !bundle.empty()) {
    refuse("insecureSkipTLSVerify", true, "may not be true if caBundle is present");
  }
}

void check_api_service_status(const Json& object, FieldErrors& errors) {
  const FieldPath path("status.conditions");
  std::size_t index = 0;
  for (const Json& each : object.get("status").get("conditions").items()) {
    const FieldPath at = path.index(index++);
    const std::string& status = each.get("status").text();
    if (status == "True" || status == "False" || status == "Unknown") continue;
    errors.push_back(field_not_supported(at.text("status"), status, {"True", "False", "Unknown"}));
  }
}

}  // namespace davit::sandbox

#include "sandbox/kinds/probe_checks.hpp"

#include <algorithm>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kHeaderText =
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
    "regex used for validation is '[-A-Za-z0-9]+')";

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

void check_exec(const Json& exec, const FieldPath& path, FieldErrors& errors) {
  if (exec.get("command").size() == 0) errors.push_back(field_required(path.text("command")));
}

void check_http_get(const Json& get, const FieldPath& path, FieldErrors& errors) {
  require_text(get, "path", path, errors);
  check_port_or_name(get.get("port"), path.child("port"), errors);
  const std::string& scheme = get.get("scheme").text();
  if (scheme != "HTTP" && scheme != "HTTPS") {
    errors.push_back(field_not_supported(path.text("scheme"), scheme, {"HTTP", "HTTPS"}));
  }
  for (const Json& each : get.get("httpHeaders").items()) {
    const std::string& name = each.get("name").text();
    if (!is_header_name(name)) {
      errors.push_back(field_invalid(path.text("httpHeaders"), name, kHeaderText));
    }
  }
}

void check_port_of(const Json& action, const FieldPath& path, FieldErrors& errors) {
  check_port_or_name(action.get("port"), path.child("port"), errors);
}

constexpr std::string_view kHandlerType = "handler type";
constexpr UnionMember kHandlers[] = {
    {"exec", check_exec},
    {"httpGet", check_http_get},
    {"tcpSocket", check_port_of},
    {"grpc", check_port_of},
};

void check_hook(const Json& hook, const Json& grace_seconds, const FieldPath& path,
                FieldErrors& errors) {
  int count = check_union(hook, kHandlers, kHandlerType, path, errors);
  if (is_set(hook, "sleep")) {
    const std::int64_t seconds = hook.get("sleep").get("seconds").integer_or(0);
    const std::int64_t grace = grace_seconds.integer_or(0);
    if (count++ > 0) {
      errors.push_back(more_than_one(kHandlerType, path.text("sleep")));
    } else if (!grace_seconds.is_null() && (seconds < 0 || seconds > grace)) {
      errors.push_back(
          field_invalid(path.text("sleep"), seconds,
                        "must be non-negative and less than terminationGracePeriodSeconds (" +
                            std::to_string(grace) + ")"));
    }
  }
  if (count == 0) errors.push_back(field_required(path.text(), "must specify a handler type"));
}

void check_name_and_key(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = ref.get("name").text();
  add_invalid(check_dns_subdomain(name), name, path.child("name"), errors);
  if (require_text(ref, "key", path, errors)) {
    const std::string& key = ref.get("key").text();
    add_invalid(check_config_key(key), key, path.child("key"), errors);
  }
}

constexpr std::string_view kContainerResources[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

void check_resource_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  if (!require_text(ref, "resource", path, errors)) return;
  const std::string& resource = ref.get("resource").text();
  const bool known = std::find(std::begin(kContainerResources), std::end(kContainerResources),
                               resource) != std::end(kContainerResources);
  const bool huge =
      resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
  if (known || huge) return;
  errors.push_back(
      field_not_supported(path.text("resource"), resource,
                          {std::begin(kContainerResources), std::end(kContainerResources)}));
}

void check_value_from(const Json& variable, const FieldPath& path, FieldErrors& errors) {
  const Json& from = variable.get("valueFrom");
  if (from.is_null()) return;
  int sources = 0;
  const auto check = [&](std::string_view name, auto rule) {
    if (!is_set(from, name)) return;
    ++sources;
    rule(from.get(name), path.child(name), errors);
  };
  check("fieldRef", check_env_field_ref);
  check("resourceFieldRef", check_resource_field_ref);
  check("configMapKeyRef", check_name_and_key);
  check("secretKeyRef", check_name_and_key);
  if (sources == 0) {
    errors.push_back(field_invalid(path.text(), "",
                                   "must specify one of: `fieldRef`, `resourceFieldRef`, "
                                   "`configMapKeyRef` or `secretKeyRef`"));
  } else if (!variable.get("value").empty()) {
    errors.push_back(
        field_invalid(path.text(), "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push_back(
        field_invalid(path.text(), "", "may not have more than one field specified at a time"));
  }
}

}  // namespace

void check_probe(const Json& probe, ProbePurpose purpose, const FieldPath& path,
                 FieldErrors& errors) {
  if (probe.is_null()) return;
  if (check_union(probe, kHandlers, kHandlerType, path, errors) == 0) {
    errors.push_back(field_required(path.text(), "must specify a handler type"));
  }
  check_not_negative(probe,
                     {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
                      "failureThreshold"},
                     path, errors);
  const Json& grace = probe.get("terminationGracePeriodSeconds");
  if (!grace.is_null() && grace.integer_or(0) <= 0) {
    errors.push_back(
        field_invalid(path.text("terminationGracePeriodSeconds"), grace, "must be greater than 0"));
  }
  const Json& successes = probe.get("successThreshold");
  if (purpose == ProbePurpose::kReadiness) {
    if (!grace.is_null()) {
      errors.push_back(field_invalid(path.text("terminationGracePeriodSeconds"), grace,
                                     "must not be set for readinessProbes"));
    }
  } else if (successes.integer_or(0) != 1) {
    errors.push_back(field_invalid(path.text("successThreshold"), successes, "must be 1"));
  }
}

void check_lifecycle(const Json& lifecycle, const Json& grace_seconds, const FieldPath& path,
                     FieldErrors& errors) {
  for (const std::string_view each : {"postStart", "preStop"}) {
    if (is_set(lifecycle, each)) {
      check_hook(lifecycle.get(each), grace_seconds, path.child(each), errors);
    }
  }
}

void check_env(const Json& variables, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : variables.items()) {
    const FieldPath here = path.index(index++);
    if (require_text(each, "name", here, errors)) {
      const std::string& name = each.get("name").text();
      add_invalid(check_env_var_name(name), name, here.child("name"), errors);
    }
    check_value_from(each, here.child("valueFrom"), errors);
  }
}

void check_env_from(const Json& sources, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : sources.items()) {
    const FieldPath here = path.index(index++);
    if (const std::string& prefix = each.get("prefix").text(); !prefix.empty()) {
      add_invalid(check_env_var_name(prefix), prefix, here.child("prefix"), errors);
    }
    int count = 0;
    for (const std::string_view name : {"configMapRef", "secretRef"}) {
      if (!is_set(each, name)) continue;
      ++count;
      const FieldPath source = here.child(name);
      if (require_text(each.get(name), "name", source, errors)) {
        const std::string& text = each.get(name).get("name").text();
        add_invalid(check_generate_name(NameRule::kSubdomain, text), text, source.child("name"),
                    errors);
      }
    }
    if (count == 1) continue;
    errors.push_back(field_invalid(path.text(), "",
                                   count == 0
                                       ? "must specify one of: `configMapRef` or `secretRef`"
                                       : "may not have more than one field specified at a time"));
  }
}

}  // namespace davit::sandbox

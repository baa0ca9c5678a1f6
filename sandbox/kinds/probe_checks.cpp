#include "sandbox/kinds/probe_checks.hpp"

#include <algorithm>

#include "lib/kube/schema/schema.hpp"
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

/// Upstream names the list here, not its element.
void check_headers(const Json& get, const FieldPath& path, FieldErrors& errors) {
  for (const Json& each : get.get("httpHeaders").items()) {
    const std::string& name = each.get("name").text();
    if (!is_header_name(name)) {
      errors.push_back(field_invalid(path.text("httpHeaders"), name, kHeaderText));
    }
  }
}

constexpr std::string_view kHandlerType = "handler type";
constexpr UnionMember kHandlers[] = {
    {"exec", "core.v1.ExecAction"},
    {"httpGet", "core.v1.HTTPGetAction", check_headers},
    {"tcpSocket", "core.v1.TCPSocketAction"},
    {"grpc", "core.v1.GRPCAction"},
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

constexpr std::string_view kContainerFields[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

bool is_huge_page_field(std::string_view name) {
  return name.starts_with("limits.hugepages-") || name.starts_with("requests.hugepages-");
}

/// k8s: validateContainerResourceDivisor.
void check_divisor(const std::string& resource, const Json& divisor, const FieldPath& path,
                   FieldErrors& errors) {
  constexpr std::string_view kByteDivisors[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  const std::string text = canonical_quantity(divisor.text()).value_or("0");
  if (resource.empty() || text == "0") return;
  std::string what;
  if (resource.ends_with(".cpu")) {
    if (text == "1" || text == "1m") return;
    errors.push_back(
        field_invalid(path.text(), resource,
                      "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  if (resource.ends_with(".memory")) {
    what = "memory";
  } else if (resource.ends_with(".ephemeral-storage")) {
    what = "local ephemeral storage";
  } else if (is_huge_page_field(resource)) {
    what = "hugepages";
  } else {
    return;
  }
  if (std::ranges::find(kByteDivisors, text) != std::end(kByteDivisors)) return;
  errors.push_back(field_invalid(path.text(), resource,
                                 "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, "
                                 "1Ti, 1Pi, 1Ei are supported with the " +
                                     what + " resource"));
}

/// k8s: validateContainerResourceFieldSelector.
void check_resource_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  check_fields("core.v1.ResourceFieldSelector", ref, path, errors);
  const std::string& resource = ref.get("resource").text();
  if (resource.empty()) return;
  const bool known = std::find(std::begin(kContainerFields), std::end(kContainerFields),
                               resource) != std::end(kContainerFields);
  if (!known && !is_huge_page_field(resource)) {
    errors.push_back(
        field_not_supported(path.text("resource"), resource,
                            {std::begin(kContainerFields), std::end(kContainerFields)}));
  }
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
  check("resourceFieldRef", check_env_resource_ref);
  const auto check_key = [](const Json& ref, const FieldPath& at, FieldErrors& found) {
    check_fields("core.v1.SecretKeySelector", ref, at, found);
  };
  check("configMapKeyRef", check_key);
  check("secretKeyRef", check_key);
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

void check_env_resource_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  check_resource_ref(ref, path, errors);
  check_divisor(ref.get("resource").text(), ref.get("divisor"), path.child("divisor"), errors);
}

void check_volume_resource_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  if (require_text(ref, "containerName", path, errors)) check_resource_ref(ref, path, errors);
  check_divisor(ref.get("resource").text(), ref.get("divisor"), path.child("divisor"), errors);
}

void check_probe(const Json& probe, ProbePurpose purpose, const FieldPath& path,
                 FieldErrors& errors) {
  if (probe.is_null()) return;
  if (check_union(probe, kHandlers, kHandlerType, path, errors) == 0) {
    errors.push_back(field_required(path.text(), "must specify a handler type"));
  }
  check_fields("core.v1.Probe", probe, path, errors);
  const Json& grace = probe.get("terminationGracePeriodSeconds");
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
    check_fields("core.v1.EnvVar", each, here, errors);
    check_value_from(each, here.child("valueFrom"), errors);
  }
}

void check_env_from(const Json& sources, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : sources.items()) {
    const FieldPath here = path.index(index++);
    check_fields("core.v1.EnvFromSource", each, here, errors);
    const int count = is_set(each, "configMapRef") + is_set(each, "secretRef");
    if (count == 1) continue;
    errors.push_back(field_invalid(path.text(), "",
                                   count == 0
                                       ? "must specify one of: `configMapRef` or `secretRef`"
                                       : "may not have more than one field specified at a time"));
  }
}

}  // namespace davit::sandbox

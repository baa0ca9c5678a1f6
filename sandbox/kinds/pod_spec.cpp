#include "sandbox/kinds/pod_spec.hpp"

#include <charconv>
#include <limits>

#include "lib/kube/validation/pattern.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPodSpec = "core.v1.PodSpec";
constexpr std::size_t kSearchBytesMax = 253;
constexpr std::size_t kSearchListBytesMax = 2048;
constexpr std::size_t kHostNameBytesMax = 64;
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

void check_host_network(const Json& spec, PodHolder holder, const FieldPath& path,
                        FieldErrors& errors) {
  if (!spec.get("hostNetwork").boolean()) return;
  const FieldPath containers = path.child("containers");
  std::size_t container = 0;
  for (const Json& each : spec.get("containers").items()) {
    const FieldPath here = containers.index(container++);
    const FieldPath ports = here.child("ports");
    std::size_t index = 0;
    for (const Json& port : each.get("ports").items()) {
      const FieldPath port_path = ports.index(index++);
      const std::int64_t host_port = port.get("hostPort").integer_or(0);
      // A template may leave it open: its pods get it by default.
      if (holder == PodHolder::kTemplate && host_port == 0) continue;
      if (host_port == port.get("containerPort").integer_or(0)) continue;
      errors.push_back(field_invalid(port_path.text("hostPort"), host_port,
                                     "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

/// k8s: IsDNS1123SubdomainWithUnderscore.
void check_dns_search(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  static const Pattern kForm = *Pattern::compile(
      R"(^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$)");
  if (name.size() > kSearchBytesMax) {
    errors.push_back(field_invalid(path.text(), name, "must be no more than 253 bytes"));
  }
  if (kForm.matches(name)) return;
  errors.push_back(field_invalid(
      path.text(), name,
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
      "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
      "used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*"
      "[a-z0-9])?)*')"));
}

void check_dns_searches(const Json& searches, const FieldPath& path, FieldErrors& errors) {
  std::size_t bytes = 0;
  std::size_t index = 0;
  for (const Json& each : searches.items()) {
    std::string_view name = each.text();
    bytes += name.size() + (index == 0 ? 0 : 1);
    const FieldPath here = path.index(index++);
    if (name == ".") continue;
    if (name.ends_with('.')) name.remove_suffix(1);
    check_dns_search(name, here, errors);
  }
  if (bytes <= kSearchListBytesMax) return;
  errors.push_back(
      field_invalid(path.text(), searches,
                    "must not have more than 2048 characters (including spaces) in the search "
                    "list"));
}

void check_dns_config(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& config = spec.get("dnsConfig");
  const Json& servers = config.get("nameservers");
  if (spec.get("dnsPolicy").text() == "None") {
    if (config.is_null()) {
      errors.push_back(
          field_required(path.text(), "must provide `dnsConfig` when `dnsPolicy` is None"));
      return;
    }
    if (servers.size() == 0) {
      errors.push_back(
          field_required(path.text("nameservers"),
                         "must provide at least one DNS nameserver when `dnsPolicy` is None"));
      return;
    }
  }
  check_fields("core.v1.PodDNSConfig", config, path, errors);
  check_dns_searches(config.get("searches"), path.child("searches"), errors);
  const FieldPath options = path.child("options");
  std::size_t index = 0;
  for (const Json& each : config.get("options").items()) {
    const FieldPath here = options.index(index++);
    if (each.get("name").empty()) {
      errors.push_back(field_required(here.text(), "must not be empty"));
    }
  }
}

bool is_int32(const std::string& text) {
  std::int32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end;
}

/// No plus sign and no leading zero. k8s: GetDeletionCostFromPodAnnotations.
bool is_deletion_cost(const std::string& text) {
  if (text.starts_with('0') && text != "0") return false;
  return is_int32(text);
}

/// spec.hostnameOverride. k8s: validatePodHostName.
void check_host_name(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(spec, "hostnameOverride")) return;
  const std::string field = path.text("hostnameOverride");
  for (const std::string_view each : {"setHostnameAsFQDN", "hostNetwork"}) {
    if (!spec.get(each).boolean()) continue;
    errors.push_back(
        field_forbidden(field, "may not be specified when " + std::string(each) + " is true"));
  }
  if (spec.get("hostnameOverride").text().size() > kHostNameBytesMax) {
    errors.push_back(field_too_long(field, kHostNameBytesMax));
  }
  check_fields(kPodSpec, spec, {"hostnameOverride"}, path, errors);
}

/// The second half of ValidatePodSpec: single fields.
void check_pod_fields(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_host_process(spec, path, errors);
  check_host_users(spec, path, errors);
  check_host_name(spec, path, errors);
  check_fields(kPodSpec, spec,
               {"serviceAccountName", "nodeName", "activeDeadlineSeconds", "hostname", "subdomain"},
               path, errors);
  check_tolerations(spec.get("tolerations"), path.child("tolerations"), errors);
  check_fields(kPodSpec, spec,
               {"hostAliases", "priorityClassName", "runtimeClassName", "preemptionPolicy"}, path,
               errors);
  if (is_set(spec, "overhead")) {
    check_resources(Json::object({{"limits", spec.get("overhead")}}), path.child("overhead"),
                    errors);
  }
  check_os(spec, path, errors);
}

}  // namespace

void check_pod_spec(const Json& spec, PodHolder holder, const FieldPath& path, FieldErrors& errors,
                    const VolumeNames& more_volumes) {
  VolumeNames volumes = check_volumes(spec.get("volumes"), path.child("volumes"), errors);
  volumes.insert(more_volumes.begin(), more_volumes.end());
  check_pod_claims(spec.get("resourceClaims"), path.child("resourceClaims"), errors);
  check_all_containers(spec, volumes, path, errors);
  check_pod_resources(spec, path, errors);
  check_host_network(spec, holder, path, errors);
  check_fields(kPodSpec, spec, {"restartPolicy", "dnsPolicy"}, path, errors);
  check_labels(spec.get("nodeSelector"), path.child("nodeSelector"), errors);
  check_pod_security(spec, path.child("securityContext"), errors);
  check_affinity(spec.get("affinity"), path.child("affinity"), errors);
  check_dns_config(spec, path.child("dnsConfig"), errors);
  check_fields(kPodSpec, spec, {"readinessGates"}, path, errors);
  check_scheduling_gates(spec.get("schedulingGates"), path.child("schedulingGates"), errors);
  check_topology_spread(spec.get("topologySpreadConstraints"),
                        path.child("topologySpreadConstraints"), errors);
  check_pod_fields(spec, path, errors);
}

void check_pod_template(const Json& tmpl, const FieldPath& path, FieldErrors& errors,
                        const VolumeNames& more_volumes) {
  // Upstream leaves out `metadata` in these paths.
  const Json& metadata = tmpl.get("metadata");
  const Json& annotations = metadata.get("annotations");
  check_labels(metadata.get("labels"), path.child("labels"), errors);
  check_annotations(annotations, path.child("annotations"), errors);
  check_pod_annotations(annotations, Json(), path.child("annotations"), errors);
  const FieldPath spec = path.child("spec");
  check_pod_spec(tmpl.get("spec"), PodHolder::kTemplate, spec, errors, more_volumes);
  if (tmpl.get("spec").get("ephemeralContainers").size() != 0) {
    errors.push_back(field_forbidden(spec.text("ephemeralContainers"),
                                     "ephemeral containers not allowed in pod template"));
  }
}

void check_pod_annotations(const Json& annotations, const Json& spec, const FieldPath& path,
                           FieldErrors& errors) {
  if (annotations.size() == 0) return;
  const Json& mirror = annotations.get(kMirrorPod);
  if (!mirror.is_null() && spec.is_object() && spec.get("nodeName").empty()) {
    errors.push_back(field_invalid(path.key(kMirrorPod).text(), mirror,
                                   "must set spec.nodeName if mirror pod annotation is set"));
  }
  const Json& cost = annotations.get(kDeletionCost);
  if (!cost.is_null() && !is_deletion_cost(cost.text())) {
    errors.push_back(
        field_invalid(path.key(kDeletionCost).text(), cost, "must be a 32bit integer"));
  }
}

}  // namespace davit::sandbox

#include "sandbox/kinds/pod_spec.hpp"

#include <charconv>
#include <limits>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPodSpec = "core.v1.PodSpec";
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
}

bool is_int32(const std::string& text) {
  std::int32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end;
}

/// The second half of ValidatePodSpec: single fields.
void check_pod_fields(const Json& spec, const FieldPath& path, FieldErrors& errors) {
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
  check_fields(kPodSpec, spec, {"os"}, path, errors);
}

}  // namespace

void check_pod_spec(const Json& spec, PodHolder holder, const FieldPath& path, FieldErrors& errors,
                    const VolumeNames& more_volumes) {
  VolumeNames volumes = check_volumes(spec.get("volumes"), path.child("volumes"), errors);
  volumes.insert(more_volumes.begin(), more_volumes.end());
  check_all_containers(spec, volumes, path, errors);
  check_resources(spec.get("resources"), path.child("resources"), errors);
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
  if (!cost.is_null() && !is_int32(cost.text())) {
    errors.push_back(
        field_invalid(path.key(kDeletionCost).text(), cost, "must be a 32bit integer"));
  }
}

}  // namespace davit::sandbox

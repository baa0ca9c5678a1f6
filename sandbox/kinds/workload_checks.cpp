#include "sandbox/kinds/workload_checks.hpp"

#include <algorithm>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_defaults.hpp"
#include "sandbox/kinds/pod_warnings.hpp"

namespace davit::sandbox {

void WorkloadRules::set_defaults(Json& object) const {
  set_template_defaults(object_member(object, "spec"));
}

std::vector<std::string> WorkloadRules::warnings(const Json& object) const {
  std::vector<std::string> out = name_warnings(object);
  add_template_warnings(object.get("spec").get("template"), kSpec.child("template"), out);
  return out;
}

std::vector<std::string> WorkloadRules::name_warnings(const Json& object) {
  std::string why;
  for (const std::string& each : check_dns_label(object.text_at({"metadata", "name"}))) {
    why += (why.empty() ? "" : " ") + each;
  }
  if (why.empty()) return {};
  return {
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
      "behavior; a DNS label is recommended: [" +
      why + "]"};
}

void set_template_defaults(Json& holder) {
  set_pod_spec_defaults(object_member(object_member(holder, "template"), "spec"));
}

void check_selector(const Json& spec, std::string_view kind, const FieldPath& path,
                    FieldErrors& errors) {
  const Json& selector = spec.get("selector");
  if (selector.is_null()) {
    errors.push_back(field_required(path.text("selector")));
    return;
  }
  check_label_selector(selector, path.child("selector"), errors);
  if (selector.get("matchLabels").size() + selector.get("matchExpressions").size() == 0) {
    errors.push_back(field_invalid(path.text("selector"), selector,
                                   std::string("empty selector is invalid for ").append(kind)));
  }
}

bool is_sound_selector(const Json& selector) {
  FieldErrors errors;
  check_label_selector(selector, FieldPath(), errors);
  if (!errors.empty()) return false;
  const Json::Items& requirements = selector.get("matchExpressions").items();
  return std::all_of(requirements.begin(), requirements.end(), [](const Json& requirement) {
    const Json::Items& values = requirement.get("values").items();
    return std::all_of(values.begin(), values.end(),
                       [](const Json& value) { return check_label_value(value.text()).empty(); });
  });
}

void check_selector_matches(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& labels = spec.get("template").get("metadata").get("labels");
  if (selector_matches(spec.get("selector"), labels)) return;
  errors.push_back(field_invalid(path.text("template.metadata.labels"), labels, kSelectorMismatch));
}

void check_lasting_template(const Json& spec, std::string_view kind, const FieldPath& path,
                            FieldErrors& errors, const VolumeNames& more_volumes) {
  check_pod_template(spec.get("template"), path.child("template"), errors, more_volumes);
  const Json& pod = spec.get("template").get("spec");
  const FieldPath pod_path = path.child("template.spec");
  if (pod.get("restartPolicy").text() != "Always") {
    errors.push_back(
        field_not_supported(pod_path.text("restartPolicy"), pod.get("restartPolicy"), {"Always"}));
  }
  if (is_set(pod, "activeDeadlineSeconds")) {
    errors.push_back(
        field_forbidden(pod_path.text("activeDeadlineSeconds"),
                        "activeDeadlineSeconds in " + std::string(kind) + " is not Supported"));
  }
}

void check_at_most_replicas(const Json& status, std::initializer_list<std::string_view> fields,
                            const FieldPath& path, FieldErrors& errors) {
  const std::int64_t replicas = status.get("replicas").integer_or(0);
  for (const std::string_view each : fields) {
    if (status.get(each).integer_or(0) <= replicas) continue;
    errors.push_back(
        field_invalid(path.text(each), status.get(each), "cannot be greater than status.replicas"));
  }
}

void check_available_at_most_ready(const Json& status, const FieldPath& path, FieldErrors& errors) {
  const Json& available = status.get("availableReplicas");
  if (available.integer_or(0) <= status.get("readyReplicas").integer_or(0)) return;
  errors.push_back(field_invalid(path.text("availableReplicas"), available,
                                 "cannot be greater than readyReplicas"));
}

void check_collision_count(const Json& object, const Json& old, FieldErrors& errors) {
  const std::int64_t now = object.get("status").get("collisionCount").integer_or(0);
  if (now >= old.get("status").get("collisionCount").integer_or(0)) return;
  errors.push_back(field_invalid("status.collisionCount", now, "cannot be decremented"));
}

}  // namespace davit::sandbox

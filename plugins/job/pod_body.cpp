#include "plugins/job/pod_body.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plugins/shared/pods/pod_body.hpp"

namespace davit::job {
namespace {

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";

bool has_index_variable(Value env) {
  for (const Value each : env.elements()) {
    if (each[&Names::name].string() == kIndexVariable) return true;
  }
  return false;
}

void write_env(JsonWriter& out, Value env) {
  out.begin_array();
  for (const Value each : env.elements()) out.value(each);
  if (!has_index_variable(env)) {
    out.begin_object().member("name", kIndexVariable).key("valueFrom").begin_object();
    out.key("fieldRef").begin_object();
    out.member("fieldPath", "metadata.labels['" + std::string(kIndexKey) + "']");
    out.end_object().end_object().end_object();
  }
  out.end_array();
}

/// Containers that learn their index from the pod's label.
void write_containers(JsonWriter& out, Value containers) {
  out.begin_array();
  for (const Value each : containers.elements()) {
    const pods::Replacement env[] = {
        {"env", [&](JsonWriter& value) { write_env(value, each["env"]); }}};
    pods::rewrite_object(out, each, env);
  }
  out.end_array();
}

/// The additions of an indexed pod to the template's spec.
std::vector<pods::Replacement> indexed_spec(const Job& job, std::int64_t index) {
  const Value spec = job.pod_template()[&Names::spec];
  std::vector<pods::Replacement> replacements;
  replacements.push_back({"hostname", [name = std::string(job.name()), index](JsonWriter& out) {
                            out.string(name + "-" + std::to_string(index));
                          }});
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Value containers = spec[list];
    if (containers.kind() != Kind::kArray) continue;
    replacements.push_back(
        {list, [containers](JsonWriter& out) { write_containers(out, containers); }});
  }
  return replacements;
}

}  // namespace

std::string indexed_name_prefix(std::string_view job_name, std::int64_t index) {
  constexpr std::size_t kPrefixMax = 58;  // Five characters follow, and 63 make a label.
  const std::string tail = "-" + std::to_string(index) + "-";
  return std::string(job_name.substr(0, kPrefixMax - tail.size())) + tail;
}

std::string pod_body(const Job& job, const NewPod& pod) {
  pods::PodMetadata metadata;
  metadata.finalizers = {std::string(kTrackingFinalizer)};
  std::vector<pods::Replacement> spec;
  if (pod.index) {
    const std::string index = std::to_string(*pod.index);
    metadata.generate_name = indexed_name_prefix(job.name(), *pod.index);
    metadata.labels = {{std::string(kIndexKey), index}};
    metadata.annotations = {{std::string(kIndexKey), index}};
    spec = indexed_spec(job, *pod.index);
  } else {
    metadata.generate_name = pods::pod_name_prefix(job.name());
  }
  if (pod.failures) {
    metadata.annotations.emplace_back(kFailureCount, std::to_string(*pod.failures));
    if (pod.ignored_failures > 0) {
      metadata.annotations.emplace_back(kIgnoredFailureCount, std::to_string(pod.ignored_failures));
    }
  }
  return pods::pod_body(job.pod_template(), metadata, owner_identity(job), spec);
}

}  // namespace davit::job

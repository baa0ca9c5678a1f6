#include <algorithm>
#include <array>
#include <davit/kube/time.hpp>

#include "lib/base/lower_case.hpp"
#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

const Json& template_spec(const Json& object) {
  return value_at(object, {"spec", "template", "spec"});
}

/// "2/3" of two counts.
std::string ratio(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + '/' + std::to_string(whole);
}

std::string ready_of_wanted(const Json& object) {
  return ratio(number_at(object, {"status", "readyReplicas"}),
               number_at(object, {"spec", "replicas"}));
}

Json::Items deployment_cells(const Json& object, WallTime now) {
  return {name_of(object),
          ready_of_wanted(object),
          number_at(object, {"status", "updatedReplicas"}),
          number_at(object, {"status", "availableReplicas"}),
          age_of(object, now),
          container_names(template_spec(object)),
          container_images(template_spec(object)),
          selector_text(value_at(object, {"spec", "selector"}))};
}

/// The cells except the selector, which ReplicaSets and ReplicationControllers format differently.
Json::Items replica_cells(const Json& object, WallTime now) {
  return {name_of(object),
          number_at(object, {"spec", "replicas"}),
          number_at(object, {"status", "replicas"}),
          number_at(object, {"status", "readyReplicas"}),
          age_of(object, now),
          container_names(template_spec(object)),
          container_images(template_spec(object))};
}

Json::Items replica_set_cells(const Json& object, WallTime now) {
  Json::Items out = replica_cells(object, now);
  out.emplace_back(selector_text(value_at(object, {"spec", "selector"})));
  return out;
}

Json::Items replication_controller_cells(const Json& object, WallTime now) {
  Json::Items out = replica_cells(object, now);
  out.emplace_back(labels_text(value_at(object, {"spec", "selector"})));
  return out;
}

Json::Items stateful_set_cells(const Json& object, WallTime now) {
  return {name_of(object), ready_of_wanted(object), age_of(object, now),
          container_names(template_spec(object)), container_images(template_spec(object))};
}

Json::Items daemon_set_cells(const Json& object, WallTime now) {
  return {name_of(object),
          number_at(object, {"status", "desiredNumberScheduled"}),
          number_at(object, {"status", "currentNumberScheduled"}),
          number_at(object, {"status", "numberReady"}),
          number_at(object, {"status", "updatedNumberScheduled"}),
          number_at(object, {"status", "numberAvailable"}),
          labels_text(template_spec(object).get("nodeSelector")),
          age_of(object, now),
          container_names(template_spec(object)),
          container_images(template_spec(object)),
          selector_text(value_at(object, {"spec", "selector"}))};
}

std::string completions(const Json& job) {
  const std::int64_t succeeded = number_at(job, {"status", "succeeded"});
  const auto wanted = value_at(job, {"spec", "completions"}).integer();
  if (wanted) return ratio(succeeded, *wanted);
  const std::int64_t parallelism = number_at(job, {"spec", "parallelism"});
  std::string out = ratio(succeeded, 1);
  if (parallelism > 1) out += " of " + std::to_string(parallelism);
  return out;
}

std::string job_duration(const Json& job, WallTime now) {
  const auto start = parse_time(job.text_at({"status", "startTime"}));
  if (!start) return "";
  const auto end = parse_time(job.text_at({"status", "completionTime"}));
  return human_duration(end.value_or(now) - *start);
}

bool job_has(const Json& job, std::string_view type) {
  const Json::Items& conditions = value_at(job, {"status", "conditions"}).items();
  return std::any_of(conditions.begin(), conditions.end(), [type](const Json& each) {
    return each.get("type").text() == type && each.get("status").text() == "True";
  });
}

const char* job_status(const Json& job) {
  if (job_has(job, "Complete")) return "Complete";
  if (job_has(job, "Failed")) return "Failed";
  if (!job.text_at({"metadata", "deletionTimestamp"}).empty()) return "Terminating";
  for (const char* each : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (job_has(job, each)) return each;
  }
  return "Running";
}

Json::Items pod_template_cells(const Json& object, WallTime) {
  const Json& spec = value_at(object, {"template", "spec"});
  return {name_of(object), container_names(spec), container_images(spec),
          labels_text(value_at(object, {"template", "metadata", "labels"}))};
}

/// "deployment.apps/web": the controller of a revision.
std::string controller_text(const Json& object) {
  for (const Json& owner : value_at(object, {"metadata", "ownerReferences"}).items()) {
    if (!owner.get("controller").boolean()) continue;
    std::string out = owner.get("kind").text();
    const std::string& api_version = owner.get("apiVersion").text();
    const std::size_t slash = api_version.find('/');
    if (slash != std::string::npos) out += '.' + api_version.substr(0, slash);
    return lower_case(std::move(out)) + '/' + owner.get("name").text();
  }
  return "<none>";
}

Json::Items controller_revision_cells(const Json& object, WallTime now) {
  return {name_of(object), controller_text(object), number_at(object, {"revision"}),
          age_of(object, now)};
}

std::string budget_text(const Json& value) {
  return value.is_null() ? std::string("N/A") : value.text();
}

Json::Items disruption_budget_cells(const Json& object, WallTime now) {
  return {name_of(object), budget_text(value_at(object, {"spec", "minAvailable"})),
          budget_text(value_at(object, {"spec", "maxUnavailable"})),
          number_at(object, {"status", "disruptionsAllowed"}), age_of(object, now)};
}

constexpr std::array kWorkloadCells = std::to_array<KindCells>({
    {"", "pods", pod_cells},
    {"apps", "deployments", deployment_cells},
    {"apps", "replicasets", replica_set_cells},
    {"", "replicationcontrollers", replication_controller_cells},
    {"apps", "statefulsets", stateful_set_cells},
    {"apps", "daemonsets", daemon_set_cells},
    {"batch", "jobs", job_cells},
    {"batch", "cronjobs", cron_job_cells},
    {"", "podtemplates", pod_template_cells},
    {"apps", "controllerrevisions", controller_revision_cells},
    {"policy", "poddisruptionbudgets", disruption_budget_cells},
    {"autoscaling", "horizontalpodautoscalers", autoscaler_cells},
});

}  // namespace

Json::Items job_cells(const Json& job, WallTime now) {
  return {name_of(job),
          job_status(job),
          completions(job),
          job_duration(job, now),
          age_of(job, now),
          container_names(template_spec(job)),
          container_images(template_spec(job)),
          selector_text(value_at(job, {"spec", "selector"}))};
}

Json::Items cron_job_cells(const Json& cron_job, WallTime now) {
  const std::string& last = cron_job.text_at({"status", "lastScheduleTime"});
  const Json& job = value_at(cron_job, {"spec", "jobTemplate", "spec"});
  return {name_of(cron_job),
          cron_job.text_at({"spec", "schedule"}),
          text_or(cron_job, {"spec", "timeZone"}),
          bool_text(value_at(cron_job, {"spec", "suspend"})),
          static_cast<std::int64_t>(value_at(cron_job, {"status", "active"}).size()),
          last.empty() ? std::string("<none>") : human_age(last, now),
          age_of(cron_job, now),
          container_names(value_at(job, {"template", "spec"})),
          container_images(value_at(job, {"template", "spec"})),
          selector_text(job.get("selector"))};
}

std::span<const KindCells> workload_cells() { return kWorkloadCells; }

}  // namespace davit::sandbox

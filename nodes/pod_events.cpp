#include "nodes/pod_events.hpp"

#include <davit/hex.hpp>
#include <davit/kube/time.hpp>
#include <functional>
#include <utility>

#include "nodes/stamp.hpp"

namespace davit::sandbox {
namespace {

/// The number of starts of the containers.
std::int64_t starts(const PodLife& life) {
  const bool ever = life.exit || life.started != WallTime{};
  return ever ? life.restarts + 1 : 0;
}

/// The number of init containers that were started, sidecars included.
std::size_t init_starts(const PodLife& life, const Json& pod) {
  const Json::Items& all = pod.get("spec").get("initContainers").items();
  if (starts(life) > 0) return all.size();
  if (life.stage != PodStage::kInit) return 0;
  std::size_t out = 0;
  std::size_t ending = 0;  // Those that end before the next one starts.
  for (const Json& each : all) {
    if (ending > life.init_done) break;
    ++out;
    ending += each.get("restartPolicy").text() == "Always" ? 0 : 1;
  }
  return out;
}

/// The same for each start of a container, so that a restart finds the Event of the first. Those of
/// one start are in the order of `number`, below 16.
std::string event_name_of(const Json& pod, const std::string& field, std::size_t number) {
  const std::size_t hash =
      (std::hash<std::string>()(pod.text_at({"metadata", "uid"}) + field) & ~std::size_t{15}) |
      number;
  return pod.text_at({"metadata", "name"}) + "." + hex_number(hash, 16);
}

}  // namespace

void PodEvents::report(const Json& pod, const PodLife& before, const PodLife& after) {
  if (on_ == PodEventSwitch::kOff) return;
  const Json& spec = pod.get("spec");
  const Json::Items& init = spec.get("initContainers").items();
  for (std::size_t i = init_starts(before, pod); i < init_starts(after, pod); ++i) {
    report_start(pod, {"initContainers", init[i], 1});
  }
  if (starts(after) <= starts(before)) return;
  for (const Json& each : spec.get("containers").items()) {
    report_start(pod, {"containers", each, starts(after)});
  }
}

void PodEvents::report_start(const Json& pod, const Started& started) {
  const Json& metadata = pod.get("metadata");
  const std::string& ns = metadata.get("namespace").text();
  const std::string& node = pod.text_at({"spec", "nodeName"});
  const std::string now = format_time(clock_.wall_now());
  const std::string field =
      "spec." + std::string(started.list) + "{" + started.container.get("name").text() + "}";
  const std::pair<const char*, std::string> events[] = {
      {"Pulled", "Container image " + to_text(started.container.get("image")) +
                     " already present on machine and can be accessed by the pod"},
      {"Created", "Container created"},
      {"Started", "Container started"}};
  std::size_t number = 0;
  for (const auto& [reason, message] : events) {
    const std::string name = event_name_of(pod, field, number++);
    const std::string target = "/api/v1/namespaces/" + ns + "/events";
    ApiCall post{
        "POST", target,
        to_text(Json::object(
            {{"apiVersion", "v1"},
             {"kind", "Event"},
             {"metadata", Json::object({{"name", name}, {"namespace", ns}})},
             {"involvedObject", Json::object({{"kind", "Pod"},
                                              {"namespace", ns},
                                              {"name", metadata.get("name")},
                                              {"uid", metadata.get("uid")},
                                              {"apiVersion", "v1"},
                                              {"resourceVersion", metadata.get("resourceVersion")},
                                              {"fieldPath", field}})},
             {"reason", reason},
             {"message", message},
             {"source", Json::object({{"component", "kubelet"}, {"host", node}})},
             {"firstTimestamp", now},
             {"lastTimestamp", now},
             {"count", 1},
             {"type", "Normal"},
             {"reportingComponent", "kubelet"},
             {"reportingInstance", node}}))};
    const auto ignore = [](const ApiResponse&) {};  // Events are for people; a lost one is no harm.
    if (started.times == 1) {
      api_.send(std::move(post), ignore);
      continue;
    }
    const Json again = Json::object({{"count", started.times}, {"lastTimestamp", now}});
    api_.send({"PATCH", target + "/" + name, to_text(again), kStrategic},
              [this, post = std::move(post), ignore](const ApiResponse& response) {
                constexpr int kNotFound = 404;  // It has expired.
                if (response.http_status == kNotFound) api_.send(post, ignore);
              });
  }
}

}  // namespace davit::sandbox

#include "nodes/pod_status.hpp"

#include <davit/hex.hpp>
#include <davit/kube/time.hpp>
#include <functional>
#include <string_view>
#include <utility>

namespace davit::sandbox {
namespace {

enum class ContainerState { kWaiting, kRunning, kTerminated };

constexpr std::string_view name_of(ContainerState state) {
  switch (state) {
    case ContainerState::kWaiting:
      return "waiting";
    case ContainerState::kRunning:
      return "running";
    case ContainerState::kTerminated:
      break;
  }
  return "terminated";
}

/// 64 hexadecimal digits, the same for the same text.
std::string digest(const std::string& text) {
  std::string out;
  for (int part = 0; part < 4; ++part) {
    out += hex_number(std::hash<std::string>()(std::to_string(part) + text), 16);
  }
  return out;
}

const Json* named(const Json& list, std::string_view key, std::string_view name) {
  for (const Json& item : list.items()) {
    if (item.get(key).text() == name) return &item;
  }
  return nullptr;
}

/// Whether `whole` has every member of `part` with its value; list items with a type are found by
/// it.
bool says(const Json& whole, const Json& part) {
  if (part.is_null()) return whole.is_null();
  if (part.is_object()) {
    for (const Json::Member& member : part.members()) {
      if (!says(whole.get(member.key), member.value)) return false;
    }
    return true;
  }
  if (!part.is_array()) return whole == part;
  if (whole.size() < part.size()) return false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Json& item = part.items()[i];
    const Json* counterpart =
        item.contains("type") ? named(whole, "type", item.get("type").text()) : &whole.items()[i];
    if (counterpart == nullptr || !says(*counterpart, item)) return false;
  }
  return true;
}

/// Puts together one pod's status.
class Report {
 public:
  Report(const PodLife& life, const Json& pod, const PodAddresses& addresses, const Moment& moment)
      : life_(life),
        pod_(pod),
        spec_(pod.get("spec")),
        old_(pod.get("status")),
        addresses_(addresses),
        now_(format_time(moment.wall)),
        stop_exit_code_(pod_settings(pod, {}).stop_exit_code) {}

  Json make() {
    Json status = Json::object();
    status.set("phase", phase());
    status.set("conditions", conditions());
    status.set("hostIP", addresses_.host_ip);
    if (!old_.contains("startTime")) status.set("startTime", now_);
    if (has_sandbox() && !addresses_.pod_ip.empty()) {
      status.set("podIP", addresses_.pod_ip);
      status.set("podIPs", Json::array({Json::object({{"ip", addresses_.pod_ip}})}));
    }
    if (spec_.get("initContainers").size() > 0) {
      status.set("initContainerStatuses", init_statuses());
    }
    status.set("containerStatuses", container_statuses());
    return status;
  }

 private:
  [[nodiscard]] bool terminal() const {
    return life_.stage == PodStage::kEnded || life_.stage == PodStage::kStopped;
  }
  /// Whether it was stopped before its containers ran.
  [[nodiscard]] bool never_ran() const { return terminal() && !life_.exit; }
  [[nodiscard]] bool succeeded() const { return life_.exit && life_.exit->code == 0; }
  /// Whether init containers were begun: then there is an address.
  [[nodiscard]] bool has_sandbox() const {
    return life_.stage != PodStage::kBound && life_.stage != PodStage::kCreating &&
           life_.stage != PodStage::kPullFailed;
  }
  [[nodiscard]] bool initialised() const {
    if (ordinary_init_containers() == 0 || life_.exit) return true;
    if (terminal()) return life_.init_done >= ordinary_init_containers();
    return has_sandbox() && life_.stage != PodStage::kInit;
  }
  [[nodiscard]] std::size_t ordinary_init_containers() const {
    std::size_t count = 0;
    for (const Json& each : spec_.get("initContainers").items()) count += is_sidecar(each) ? 0 : 1;
    return count;
  }
  static bool is_sidecar(const Json& container) {
    return container.get("restartPolicy").text() == "Always";
  }

  [[nodiscard]] std::string phase() const {
    if (terminal()) return succeeded() ? "Succeeded" : "Failed";
    return initialised() && has_sandbox() ? "Running" : "Pending";
  }

  [[nodiscard]] std::string names(std::string_view group) const {
    std::string out;
    for (const Json& container : spec_.get(group).items()) {
      out += (out.empty() ? "" : " ") + container.get("name").text();
    }
    return "[" + out + "]";
  }

  /// Why a condition is false; both may be empty.
  struct Why {
    std::string reason;
    std::string message;
  };

  void add_condition(Json& list, const char* type, bool holds, const Why& why) const {
    const Json* old = named(old_.get("conditions"), "type", type);
    const std::string status = holds ? "True" : "False";
    Json condition = Json::object({{"type", type}, {"status", status}});
    const bool same = old != nullptr && old->get("status").text() == status;
    condition.set("lastTransitionTime", same && old->contains("lastTransitionTime")
                                            ? old->get("lastTransitionTime")
                                            : now_);
    for (const auto& [key, text] :
         {std::pair("reason", why.reason), std::pair("message", why.message)}) {
      // Null takes away what an earlier report left; where nothing is, nothing is said.
      if (!text.empty()) condition.set(key, text);
      if (text.empty() && old != nullptr && old->contains(key)) condition.set(key, Json());
    }
    list.push_back(std::move(condition));
  }

  [[nodiscard]] bool gates_open(std::string& closed) const {
    for (const Json& gate : spec_.get("readinessGates").items()) {
      const std::string& type = gate.get("conditionType").text();
      const Json* condition = named(old_.get("conditions"), "type", type);
      if (condition != nullptr && condition->get("status").text() == "True") continue;
      closed =
          condition == nullptr
              ? "corresponding condition of pod readiness gate \"" + type + "\" does not exist."
              : "the status of pod readiness gate \"" + type + "\" is not \"True\", but " +
                    condition->get("status").text();
      return false;
    }
    return true;
  }

  [[nodiscard]] Json conditions() const {
    Json list = Json::array();
    add_condition(list, "PodReadyToStartContainers", has_sandbox() && !terminal(), {});
    Why uninitialised{"ContainersNotInitialized",
                      "containers with incomplete status: " + names("initContainers")};
    const bool initialised = this->initialised();
    if (initialised) uninitialised = {};
    if (terminal() && succeeded()) uninitialised.reason = "PodCompleted";
    add_condition(list, "Initialized", initialised, uninitialised);

    const bool containers_ready = life_.stage == PodStage::kReady;
    Why unready;
    if (terminal()) {
      unready.reason = succeeded() ? "PodCompleted" : "PodFailed";
    } else if (!containers_ready) {
      unready = {"ContainersNotReady", "containers with unready status: " + names("containers")};
    }
    std::string closed_gate;
    const bool ready = containers_ready && gates_open(closed_gate);
    add_condition(
        list, "Ready", ready,
        containers_ready && !ready ? Why{"ReadinessGatesNotReady", closed_gate} : unready);
    add_condition(list, "ContainersReady", containers_ready, unready);
    add_condition(list, "PodScheduled", true, {});
    return list;
  }

  [[nodiscard]] static std::pair<std::string, Json> terminated(const ContainerExit& exit,
                                                               const std::string& id) {
    return {"terminated", Json::object({{"exitCode", exit.code},
                                        {"reason", exit.code == 0 ? "Completed" : "Error"},
                                        {"startedAt", format_time(exit.started)},
                                        {"finishedAt", format_time(exit.finished)},
                                        {"containerID", id}})};
  }

  /// The kubelet's report of a container that it cannot find when the pod ends.
  static Json lost_container() {
    return Json::object(
        {{"exitCode", kEndedBySigkill},
         {"reason", "ContainerStatusUnknown"},
         {"message", "The container could not be located when the pod was terminated"},
         {"startedAt", Json()},
         {"finishedAt", Json()}});
  }

  [[nodiscard]] std::string container_id(const Json& container, std::int64_t restarts) const {
    return "davit://" + digest(pod_.text_at({"metadata", "uid"}) + container.get("name").text() +
                               std::to_string(restarts));
  }

  [[nodiscard]] Json waiting_state(const Json& container) const {
    Why why{"ContainerCreating", ""};
    if (life_.stage == PodStage::kInit || ordinary_init_containers() > 0) {
      why.reason = "PodInitializing";
    }
    if (life_.stage == PodStage::kPullFailed) {
      why = {"ImagePullBackOff",
             "Back-off pulling image \"" + container.get("image").text() + "\""};
    }
    if (life_.stage == PodStage::kBackOff) {
      why = {"CrashLoopBackOff",
             "back-off restarting failed container=" + container.get("name").text() +
                 " pod=" + pod_.text_at({"metadata", "name"}) + "_" +
                 pod_.text_at({"metadata", "namespace"}) + "(" + pod_.text_at({"metadata", "uid"}) +
                 ")"};
    }
    Json state = Json::object({{"reason", why.reason}});
    if (!why.message.empty()) state.set("message", why.message);
    return state;
  }

  [[nodiscard]] ContainerState container_state() const {
    if (life_.runs()) return ContainerState::kRunning;
    return terminal() && initialised() ? ContainerState::kTerminated : ContainerState::kWaiting;
  }

  [[nodiscard]] Json container_statuses() const {
    Json list = Json::array();
    const ContainerState state = container_state();
    for (const Json& container : spec_.get("containers").items()) {
      Json status = common_status(container, life_.restarts);
      const std::string id = container_id(container, life_.restarts);
      Json body;
      switch (state) {
        case ContainerState::kWaiting:
          body = waiting_state(container);
          break;
        case ContainerState::kRunning:
          body = Json::object({{"startedAt", format_time(life_.started)}});
          break;
        case ContainerState::kTerminated:
          body = life_.exit ? terminated(*life_.exit, id).second : lost_container();
          break;
      }
      status.set("state", Json::object({{name_of(state), std::move(body)}}));
      const bool exited_before = life_.exit && state != ContainerState::kTerminated;
      const std::int64_t last =
          life_.stage == PodStage::kBackOff ? life_.restarts : life_.restarts - 1;
      if (exited_before) {
        auto [key, last_state] = terminated(*life_.exit, container_id(container, last));
        status.set("lastState", Json::object({{key, std::move(last_state)}}));
      }
      const bool running = state == ContainerState::kRunning;
      if (running || life_.exit) identify(status, container, id);
      status.set("ready", life_.stage == PodStage::kReady);
      status.set("started", running);
      list.push_back(std::move(status));
    }
    return list;
  }

  static Json common_status(const Json& container, std::int64_t restarts) {
    return Json::object({{"name", container.get("name")},
                         {"image", container.get("image")},
                         {"imageID", ""},
                         {"restartCount", restarts},
                         {"ready", false}});
  }

  static void identify(Json& status, const Json& container, const std::string& id) {
    const std::string& image = container.get("image").text();
    status.set("imageID", image + "@sha256:" + digest(image));
    status.set("containerID", id);
  }

  [[nodiscard]] Json init_statuses() const {
    Json list = Json::array();
    std::size_t before = 0;  // Ordinary ones that come first.
    for (const Json& container : spec_.get("initContainers").items()) {
      list.push_back(init_status(container, before));
      before += is_sidecar(container) ? 0 : 1;
    }
    return list;
  }

  [[nodiscard]] Json ended_init_container(int code, const Json* started,
                                          const std::string& id) const {
    return Json::object({{"exitCode", code},
                         {"reason", code == 0 ? "Completed" : "Error"},
                         {"startedAt", started == nullptr ? Json(now_) : *started},
                         {"finishedAt", now_},
                         {"containerID", id}});
  }

  [[nodiscard]] Json init_status(const Json& container, std::size_t before) const {
    const bool reached = has_sandbox() && life_.init_done >= before;
    const bool done = !is_sidecar(container) && life_.init_done > before;
    const bool stopped = is_sidecar(container) ? terminal() : never_ran();
    ContainerState state = reached ? ContainerState::kRunning : ContainerState::kWaiting;
    if (done || (reached && stopped)) state = ContainerState::kTerminated;
    Json status = common_status(container, 0);
    const std::string id = container_id(container, 0);
    const Json* old =
        named(old_.get("initContainerStatuses"), "name", container.get("name").text());
    const Json* same = old == nullptr ? nullptr : old->at({"state", name_of(state)});
    Json body = Json::object({{"reason", "PodInitializing"}});
    if (state == ContainerState::kRunning) body = Json::object({{"startedAt", now_}});
    if (state == ContainerState::kTerminated) {
      const Json* ran = old == nullptr ? nullptr : old->at({"state", "running", "startedAt"});
      const bool lost = never_ran() && !done && ran == nullptr;
      // A sidecar serves until it is stopped; another one that is stopped has not done its work.
      const int stopped_with = is_sidecar(container) ? stop_exit_code_ : kEndedBySigterm;
      body = lost ? lost_container() : ended_init_container(done ? 0 : stopped_with, ran, id);
    }
    // Its times were reported when it came to this state.
    if (same != nullptr) body = *same;
    status.set("state", Json::object({{name_of(state), std::move(body)}}));
    const Json* terminated = status.at({"state", "terminated"});
    if (state == ContainerState::kRunning ||
        (terminated != nullptr && terminated->contains("containerID"))) {
      identify(status, container, id);
    }
    status.set("ready", is_sidecar(container) ? state == ContainerState::kRunning : done);
    return status;
  }

  const PodLife& life_;
  const Json& pod_;
  const Json& spec_;
  const Json& old_;
  const PodAddresses& addresses_;
  const std::string now_;
  const int stop_exit_code_;
};

}  // namespace

std::optional<Json> status_patch(const PodLife& life, const Json& pod,
                                 const PodAddresses& addresses, const Moment& moment) {
  if (life.stage == PodStage::kBound || life.stage == PodStage::kStopping) return std::nullopt;
  // It ended before this node process began, or another client ended it: there is nothing to add.
  const std::string& phase = pod.text_at({"status", "phase"});
  const bool over = phase == "Succeeded" || phase == "Failed" || life.stage == PodStage::kEnded;
  const bool ends = life.stage == PodStage::kEnded || life.stage == PodStage::kStopped;
  if (ends && !life.exit && over) return std::nullopt;
  Json status = Report(life, pod, addresses, moment).make();
  if (says(pod.get("status"), status)) return std::nullopt;
  return Json::object({{"metadata", Json::object({{"uid", pod.get("metadata").get("uid")}})},
                       {"status", std::move(status)}});
}

}  // namespace davit::sandbox

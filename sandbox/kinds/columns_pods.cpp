#include <algorithm>
#include <davit/kube/time.hpp>
#include <optional>

#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

const Json* condition(const Json& pod, std::string_view type) {
  for (const Json& each : value_at(pod, {"status", "conditions"}).items()) {
    if (each.get("type").text() == type) return &each;
  }
  return nullptr;
}

bool condition_is_true(const Json& pod, std::string_view type) {
  const Json* found = condition(pod, type);
  return found != nullptr && found->get("status").text() == "True";
}

/// Restarts and the time of the last one.
struct Restarts {
  std::int64_t count = 0;
  std::optional<WallTime> last;

  void add(const Json& status) {
    count += status.get("restartCount").integer_or(0);
    const auto finished = parse_time(status.text_at({"lastState", "terminated", "finishedAt"}));
    if (finished && (!last || *last < *finished)) last = finished;
  }

  [[nodiscard]] std::string text(WallTime now) const {
    std::string out = std::to_string(count);
    if (count != 0 && last) out += " (" + human_duration(now - *last) + " ago)";
    return out;
  }
};

/// The findings of printing a pod, step by step, as in upstream's printPod.
struct PodSummary {
  std::string reason;
  std::int64_t containers = 0;
  std::int64_t ready = 0;
  Restarts restarts;
};

/// "Error", "Signal:9" or "ExitCode:2".
std::string terminated_text(const Json& terminated) {
  const std::string& reason = terminated.get("reason").text();
  if (!reason.empty()) return reason;
  const std::int64_t signal = number_at(terminated, {"signal"});
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(number_at(terminated, {"exitCode"}));
}

/// A sidecar: an init container that keeps running.
bool is_restartable(const Json& pod, std::string_view name) {
  for (const Json& each : value_at(pod, {"spec", "initContainers"}).items()) {
    if (each.get("name").text() == name) return each.get("restartPolicy").text() == "Always";
  }
  return false;
}

/// Why the init container at `index` holds the pod up; nothing when it does not.
std::optional<std::string> init_blocked(const Json& pod, const Json& status, std::size_t index) {
  const Json& state = status.get("state");
  const Json& terminated = state.get("terminated");
  if (terminated.is_object()) {
    if (number_at(terminated, {"exitCode"}) == 0) return std::nullopt;
    return "Init:" + terminated_text(terminated);
  }
  const std::string& waiting = state.text_at({"waiting", "reason"});
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + waiting;
  return "Init:" + std::to_string(index) + '/' +
         std::to_string(value_at(pod, {"spec", "initContainers"}).size());
}

/// Whether init containers still keep the pod from running.
bool look_at_init_containers(const Json& pod, PodSummary& out) {
  Restarts sidecars;
  bool initializing = false;
  std::size_t index = 0;
  for (const Json& status : value_at(pod, {"status", "initContainerStatuses"}).items()) {
    out.restarts.add(status);
    const bool restartable = is_restartable(pod, status.get("name").text());
    if (restartable) sidecars.add(status);
    if (restartable && status.get("started").boolean()) {
      if (status.get("ready").boolean()) ++out.ready;
    } else if (auto blocked = init_blocked(pod, status, index)) {
      out.reason = std::move(*blocked);
      initializing = true;
      break;
    }
    ++index;
  }
  if (initializing && !condition_is_true(pod, "Initialized")) return true;
  out.restarts = sidecars;
  return false;
}

void look_at_containers(const Json& pod, PodSummary& out) {
  bool running = false;
  std::string failed;
  const Json::Items& statuses = value_at(pod, {"status", "containerStatuses"}).items();
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    out.restarts.add(*status);
    const Json& state = status->get("state");
    const std::string& waiting = state.text_at({"waiting", "reason"});
    if (!waiting.empty()) {
      out.reason = waiting;
    } else if (const Json& terminated = state.get("terminated"); terminated.is_object()) {
      out.reason = terminated_text(terminated);
      if (number_at(terminated, {"exitCode"}) != 0) failed = out.reason;
    } else if (status->get("ready").boolean() && state.get("running").is_object()) {
      running = true;
      ++out.ready;
    }
  }
  if (out.reason != "Completed") return;
  if (running && condition_is_true(pod, "Ready")) {
    out.reason = "Running";
  } else if (!failed.empty()) {
    out.reason = failed;
  } else if (running) {
    out.reason = "NotReady";
  }
}

PodSummary summary_of(const Json& pod) {
  PodSummary out;
  const std::string& phase = pod.text_at({"status", "phase"});
  const std::string& status_reason = pod.text_at({"status", "reason"});
  out.reason = status_reason.empty() ? phase : status_reason;
  const Json* scheduled = condition(pod, "PodScheduled");
  if (scheduled != nullptr && scheduled->get("reason").text() == "SchedulingGated") {
    out.reason = "SchedulingGated";
  }
  out.containers = static_cast<std::int64_t>(value_at(pod, {"spec", "containers"}).size());
  for (const Json& each : value_at(pod, {"spec", "initContainers"}).items()) {
    if (each.get("restartPolicy").text() == "Always") ++out.containers;
  }
  if (!look_at_init_containers(pod, out)) look_at_containers(pod, out);
  if (!pod.text_at({"metadata", "deletionTimestamp"}).empty()) {
    if (status_reason == "NodeLost") {
      out.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      out.reason = "Terminating";
    }
  }
  return out;
}

std::string readiness_gates(const Json& pod) {
  const Json::Items& gates = value_at(pod, {"spec", "readinessGates"}).items();
  if (gates.empty()) return "<none>";
  const auto fulfilled = std::count_if(gates.begin(), gates.end(), [&pod](const Json& gate) {
    return condition_is_true(pod, gate.get("conditionType").text());
  });
  return std::to_string(fulfilled) + '/' + std::to_string(gates.size());
}

}  // namespace

Json::Items pod_cells(const Json& pod, WallTime now) {
  const PodSummary summary = summary_of(pod);
  const Json::Items& ips = value_at(pod, {"status", "podIPs"}).items();
  return {name_of(pod),
          std::to_string(summary.ready) + '/' + std::to_string(summary.containers),
          summary.reason,
          summary.restarts.text(now),
          age_of(pod, now),
          ips.empty() ? std::string("<none>") : text_or(ips.front(), {"ip"}),
          text_or(pod, {"spec", "nodeName"}),
          text_or(pod, {"status", "nominatedNodeName"}),
          readiness_gates(pod)};
}

}  // namespace davit::sandbox

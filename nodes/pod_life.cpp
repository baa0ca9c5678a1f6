#include "nodes/pod_life.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

/// The kubelet's back-off between restarts: the first is at once, then 10 s, doubled up to 5 min.
constexpr Duration kFirstBackOff = seconds(10);
constexpr Duration kLongestBackOff = std::chrono::minutes(5);

Duration restart_delay(const PodLife& life, const PodSettings& settings) {
  if (settings.restart) return *settings.restart;
  if (life.restarts == 0) return Duration{0};
  constexpr std::int64_t kDoublingsMax = 5;  // 10 s * 2^5 is more than the longest.
  const auto doublings = std::min(life.restarts - 1, kDoublingsMax);
  return std::min(kFirstBackOff * (1 << doublings), kLongestBackOff);
}

bool will_exit(const PodLife& life, const PodSettings& settings) {
  return settings.run && (!settings.exits_max || life.restarts < *settings.exits_max);
}

/// The next transition and its time.
struct Transition {
  PodStage to = PodStage::kBound;
  Time due = Time::max();  // Never.
};

Transition next_of_running(const PodLife& life, const PodFacts& facts, Time now) {
  const PodSettings& settings = facts.settings;
  Transition next;
  if (life.stage == PodStage::kRunning && settings.readiness == Readiness::kNormal) {
    next = {PodStage::kReady, life.since + settings.ready};
  } else if (life.stage == PodStage::kReady && settings.readiness == Readiness::kNever) {
    next = {PodStage::kRunning, now};
  }
  if (!will_exit(life, settings)) return next;
  // `since` is that of the start or of becoming ready; the run counts from the start.
  const Time exit = life.started_at + *settings.run;
  return exit <= next.due ? Transition{PodStage::kBackOff, exit} : next;
}

/// Preparation comes before images are pulled; the time to start still counts from the binding.
Transition next_of_creating(const PodLife& life, const PodFacts& facts) {
  if (!facts.prepared) return {};
  const Time due = std::max(life.since + facts.settings.start, *facts.prepared);
  if (facts.settings.image_pull == ImagePull::kFails) return {PodStage::kPullFailed, due};
  return {life.init_done < facts.init_containers ? PodStage::kInit : PodStage::kRunning, due};
}

Transition next_of(const PodLife& life, const PodFacts& facts, Time now) {
  const PodSettings& settings = facts.settings;
  const bool stops = life.stage == PodStage::kStopping || life.stage == PodStage::kStopped;
  if (facts.grace && !stops) {
    return {life.runs() ? PodStage::kStopping : PodStage::kStopped, now};
  }
  switch (life.stage) {
    case PodStage::kBound:
      return {PodStage::kCreating, now};
    case PodStage::kCreating:
      return next_of_creating(life, facts);
    case PodStage::kPullFailed:
      if (settings.image_pull == ImagePull::kWorks) return {PodStage::kCreating, now};
      return {};
    case PodStage::kInit:
      return {life.init_done + 1 < facts.init_containers ? PodStage::kInit : PodStage::kRunning,
              life.since + settings.init};
    case PodStage::kRunning:
    case PodStage::kReady:
      return next_of_running(life, facts, now);
    case PodStage::kBackOff:
      return {PodStage::kRunning, life.since + restart_delay(life, settings)};
    case PodStage::kStopping:
      return {PodStage::kStopped,
              life.since + std::min(settings.stop, facts.grace.value_or(settings.stop))};
    case PodStage::kEnded:
    case PodStage::kStopped:
      return {};
  }
  return {};
}

void note_exit(PodLife& life, int code, Time at, const Moment& moment) {
  life.exit = ContainerExit{code, life.started, moment.wall_at(at)};
}

void begin_running(PodLife& life, Time at, const Moment& moment) {
  if (life.stage == PodStage::kReady) return;  // Only readiness was lost.
  if (life.stage == PodStage::kBackOff) ++life.restarts;
  life.started_at = at;
  life.started = moment.wall_at(at);
}

/// Carries out one transition.
void go(PodLife& life, Transition next, const PodFacts& facts, const Moment& moment) {
  // A step that was due earlier happened then, not now, unless it follows from a later report.
  const Time at = std::max({next.due, life.since, life.reported});
  // An init container that is stopped has not done its work.
  if (life.stage == PodStage::kInit && next.to != PodStage::kStopped) ++life.init_done;
  if (next.to == PodStage::kRunning) begin_running(life, at, moment);
  if (next.to == PodStage::kBackOff) {
    note_exit(life, facts.settings.exit_code, at, moment);
    const bool again =
        facts.restart_policy == RestartPolicy::kAlways ||
        (facts.restart_policy == RestartPolicy::kOnFailure && facts.settings.exit_code != 0);
    if (!again) next.to = PodStage::kEnded;
  }
  if (life.stage == PodStage::kStopping) {
    const bool in_time = !facts.grace || facts.settings.stop <= *facts.grace;
    note_exit(life, in_time ? facts.settings.stop_exit_code : kEndedBySigkill, at, moment);
  }
  life.stage = next.to;
  life.since = at;
}

/// The first container represents all, because they change together. Null before any was reported.
const Json* first_container(const Json& pod) {
  const Json::Items& statuses = pod.get("status").get("containerStatuses").items();
  return statuses.empty() ? nullptr : &statuses.front();
}

std::optional<ContainerExit> exit_of(const Json* terminated) {
  // Without a start, the container never ran and was reported as lost.
  if (terminated == nullptr || terminated->get("startedAt").text().empty()) return std::nullopt;
  ContainerExit out;
  out.code = static_cast<int>(terminated->get("exitCode").integer_or(0));
  out.started = parse_time(terminated->get("startedAt").text()).value_or(WallTime{});
  out.finished = parse_time(terminated->get("finishedAt").text()).value_or(WallTime{});
  return out;
}

std::size_t finished_init_containers(const Json& pod) {
  std::size_t done = 0;
  for (const Json& status : pod.get("status").get("initContainerStatuses").items()) {
    done += status.at({"state", "terminated"}) == nullptr ? 0 : 1;
  }
  return done;
}

}  // namespace

PodFacts pod_facts(const Json& pod, const PodDefaults& defaults) {
  PodFacts facts;
  facts.settings = pod_settings(pod, defaults);
  facts.restart_policy = restart_policy(pod);
  for (const Json& container : pod.get("spec").get("initContainers").items()) {
    facts.init_containers += container.get("restartPolicy").text() == "Always" ? 0 : 1;
  }
  const Json& metadata = pod.get("metadata");
  if (metadata.contains("deletionTimestamp")) {
    facts.grace = seconds(metadata.get("deletionGracePeriodSeconds").integer_or(0));
  }
  return facts;
}

PodLife resume_life(const Json& pod, const Moment& moment) {
  PodLife life;
  life.since = moment.now;
  const Json& status = pod.get("status");
  const std::string& phase = status.get("phase").text();
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ended) life.stage = PodStage::kEnded;
  const Json* first = first_container(pod);
  if (first == nullptr) return life;
  const Json& container = *first;
  life.restarts = container.get("restartCount").integer_or(0);
  life.init_done = finished_init_containers(pod);
  life.exit = exit_of(container.at({"lastState", "terminated"}));
  if (ended) {
    life.exit = exit_of(container.at({"state", "terminated"}));
  } else if (const Json* running = container.at({"state", "running"})) {
    life.stage = container.get("ready").boolean() ? PodStage::kReady : PodStage::kRunning;
    life.started = parse_time(running->get("startedAt").text()).value_or(moment.wall);
    life.started_at = moment.monotonic_at(life.started);
  } else if (const Json* terminated = container.at({"state", "terminated"})) {
    life.stage = PodStage::kBackOff;
    life.exit = exit_of(terminated);
  } else if (container.text_at({"state", "waiting", "reason"}) == "CrashLoopBackOff") {
    life.stage = PodStage::kBackOff;
  } else if (status.contains("startTime")) {
    life.stage = PodStage::kCreating;
  }
  return life;
}

bool advance(PodLife& life, const PodFacts& facts, const Moment& moment) {
  bool moved = false;
  // A container that exits at once and is started again at once would go round for ever; what is
  // left after so many steps is done in the next call.
  constexpr int kStepsMax = 64;
  for (int steps = 0; steps < kStepsMax; ++steps) {
    const Transition next = next_of(life, facts, moment.now);
    if (next.due > moment.now) break;
    go(life, next, facts, moment);
    moved = true;
  }
  return moved;
}

Time next_due(const PodLife& life, const PodFacts& facts, Time now) {
  return next_of(life, facts, now).due;
}

}  // namespace davit::sandbox

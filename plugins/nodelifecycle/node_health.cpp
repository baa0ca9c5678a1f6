#include "plugins/nodelifecycle/node_health.hpp"

#include <array>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::nodelifecycle {
namespace {

constexpr std::array<std::string_view, 4> kJudged = {"Ready", "MemoryPressure", "DiskPressure",
                                                     "PIDPressure"};

void write_missing(std::string_view type, std::string_view created, std::string_view now,
                   JsonWriter& body) {
  body.begin_object().member("type", type).member("status", "Unknown");
  if (!created.empty()) body.member("lastHeartbeatTime", created);
  body.member("lastTransitionTime", now).member("reason", "NodeStatusNeverUpdated");
  body.member("message", "Kubelet never posted node status.").end_object();
}

void write_stopped(std::string_view type, std::string_view now, JsonWriter& body) {
  body.begin_object().member("type", type).member("status", "Unknown");
  body.member("lastTransitionTime", now).member("reason", "NodeStatusUnknown");
  body.member("message", "Kubelet stopped posting node status.").end_object();
}

bool is_newer(const LeaseFacts& lease, const LeaseFacts& than) {
  return lease.renewed && than.renewed && *than.renewed < *lease.renewed;
}

}  // namespace

Ready ready_from(std::string_view status) {
  if (status == "True") return Ready::kTrue;
  if (status == "False") return Ready::kFalse;
  return status == "Unknown" ? Ready::kUnknown : Ready::kOther;
}

std::optional<ReadyFacts> ReadyFacts::from(const Node& node) {
  const std::optional<ConditionView> ready = node.condition("Ready");
  if (!ready) return std::nullopt;
  return ReadyFacts{ready_from(ready->status()),
                    std::string(ready->value()[&Names::last_heartbeat_time].string()),
                    std::string(ready->value()[&Names::last_transition_time].string())};
}

Heartbeat observe(std::optional<NodeHealth>& health, const HealthInput& input, Time now,
                  const GracePeriods& grace) {
  if (!health) {
    const Time first = input.ready ? now : input.created;
    health = NodeHealth{.probe = first, .ready_transition = first, .ready = input.ready};
  } else if (!input.ready) {
    health->ready.reset();
  }
  const std::optional<LeaseFacts> counted = health->lease;
  if (!health->ready && input.ready) {
    *health = {.probe = now, .ready_transition = now, .ready = input.ready};
  } else if (input.ready && health->ready->heartbeat != input.ready->heartbeat) {
    const bool changed = health->ready->transition != input.ready->transition;
    *health = {.probe = now,
               .ready_transition = changed ? now : health->ready_transition,
               .ready = input.ready};
  }
  if (input.lease && (!counted || is_newer(*input.lease, *counted))) {
    health->lease = input.lease;
    health->probe = now;
  }
  return now > deadline(*health, grace) ? Heartbeat::kSilent : Heartbeat::kAlive;
}

Time deadline(const NodeHealth& health, const GracePeriods& grace) {
  return health.probe + (health.ready ? grace.monitor : grace.startup);
}

bool needs_unknown(const std::optional<ReadyFacts>& ready) {
  return !ready || ready->status != Ready::kUnknown;
}

std::string unknown_patch(const Node& node, WallTime now) {
  const std::string stamp = format_time(now);
  const std::string_view created = node.metadata()[&Names::creation_timestamp].string();
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  if (!mutant("node-version")) body.member("resourceVersion", node.resource_version());
  body.end_object();
  body.key("status").begin_object().key("conditions").begin_array();
  for (const std::string_view type : kJudged) {
    const std::optional<ConditionView> present = node.condition(type);
    if (!present) {
      write_missing(type, created, stamp, body);
    } else if (present->status() != "Unknown") {
      write_stopped(type, stamp, body);
    }
  }
  body.end_array().end_object().end_object();
  return std::move(body).text();
}

void note_unknown(NodeHealth& health, const HealthInput& input, std::string_view created,
                  Time now) {
  health.ready =
      ReadyFacts{.status = Ready::kUnknown,
                 .heartbeat = input.ready ? input.ready->heartbeat : std::string(created)};
  health.ready_transition = now;
  health.lease = input.lease;
}

}  // namespace davit::nodelifecycle

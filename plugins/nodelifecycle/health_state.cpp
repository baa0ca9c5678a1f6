/// HealthPass: hands its knowledge of nodes to the next build.
#include <utility>

#include "plugins/nodelifecycle/health_pass.hpp"

namespace davit::nodelifecycle {
namespace {

void write_health(const NodeHealth& health, JsonWriter& out) {
  out.begin_object().member("probe", state_time(health.probe));
  out.member("transition", state_time(health.ready_transition));
  if (health.ready) {
    out.key("ready").begin_object().member("status", static_cast<int>(health.ready->status));
    out.member("heartbeat", health.ready->heartbeat);
    out.member("transition", health.ready->transition).end_object();
  }
  if (health.lease) {
    out.key("lease").begin_object();
    if (const auto& renewed = health.lease->renewed) {
      out.member("renewed", renewed->time_since_epoch().count());
    }
    out.end_object();
  }
  out.end_object();
}

NodeHealth read_health(const StateFields& state, Time now) {
  constexpr StateFields::Range kReady = {0, static_cast<int>(Ready::kOther)};
  NodeHealth health{.probe = state.past("probe", now),
                    .ready_transition = state.past("transition", now)};
  if (state.has("ready")) {
    const StateFields ready = state.object("ready");
    health.ready = ReadyFacts{static_cast<Ready>(ready.integer("status", kReady)),
                              ready.text("heartbeat"), ready.text("transition")};
  }
  if (state.has("lease")) {
    const StateFields lease = state.object("lease");
    health.lease.emplace();
    if (lease.has("renewed")) health.lease->renewed = WallTime(Duration(lease.integer("renewed")));
  }
  return health;
}

}  // namespace

void HealthPass::write(JsonWriter& out) const {
  out.begin_object().key("nodes").begin_array();
  for (const auto& [name, record] : records_) {
    out.begin_object().member("node", name).member("uid", record.uid).member("zone", record.zone);
    out.member("known", record.last_pass != 0).member("queued", record.is_queued);
    out.member("eviction", static_cast<int>(record.eviction));
    out.member("marksAgain", record.marks_again);
    if (record.health) {
      out.key("health");
      write_health(*record.health, out);
    }
    out.end_object();
  }
  out.end_array().key("zones");
  zones_.write(out);
  out.end_object();
}

NodeRecord HealthPass::read_record(const StateFields& state) const {
  constexpr StateFields::Range kEvictions = {0, static_cast<int>(Eviction::kDone)};
  NodeRecord record;
  record.name = state.text("node");
  record.uid = state.text("uid");
  record.zone = state.text("zone");
  record.last_pass = state.boolean("known") ? pass_ : 0;
  record.is_queued = state.boolean("queued");
  record.eviction = static_cast<Eviction>(state.integer("eviction", kEvictions));
  record.marks_again = state.boolean("marksAgain");
  if (state.has("health")) record.health = read_health(state.object("health"), cluster_.now());
  return record;
}

Status HealthPass::read(std::uint32_t, Value state) {
  // Known nodes have been seen by a pass: the one before our first.
  pass_ = 1;
  Status status;
  const StateFields fields(state, status);
  NodeRecords records;
  std::size_t known = 0;
  for (const Value element : fields.array("nodes").elements()) {
    NodeRecord record = read_record(fields.element(element));
    known += record.last_pass != 0 ? 1 : 0;
    records.put(std::move(record));
  }
  zones_.read(fields, "zones");
  if (!status.ok()) return status;
  records_ = std::move(records);
  known_ = known;
  // They point into the records of before.
  node_order_.clear();
  lease_order_.clear();
  for (auto& [name, record] : records_) {
    if (record.health) publish(record);
  }
  return {};
}

}  // namespace davit::nodelifecycle

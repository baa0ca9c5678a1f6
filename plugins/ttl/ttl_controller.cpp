#include "plugins/ttl/ttl_controller.hpp"

#include <davit/json_writer.hpp>
#include <davit/state_fields.hpp>

#include "plugins/ttl/ttl_plan.hpp"

namespace davit::ttl {

TtlController::TtlController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "ttlcontroller"},
                                [this](const Key& key) { return sync(key); })),
      nodes_(cluster.open_informer<Node>({
          .added = [this](const Node& node) { queue_.add(node); },
          .updated = [this](const Node&, const Node& node) { queue_.add(node); },
          .any = [this](const Event<Node>& event) { count(event); },
      })) {}

void TtlController::count(const Event<Node>& event) {
  switch (event.type) {
    case Event<Node>::Type::kAdded:
      ++count_;
      break;
    case Event<Node>::Type::kDeleted:
      --count_;
      break;
    case Event<Node>::Type::kUpdated:
      return;
  }
  step_.store(next_step(step_.load(std::memory_order_relaxed), count_), std::memory_order_relaxed);
}

Result<Again> TtlController::sync(const Key& key) const {
  const Lookup<Node> node = nodes_.get(key);
  if (!node) return Again::when_changed();
  const std::int64_t ttl = ttl_of(step_.load(std::memory_order_relaxed));
  if (is_number(node->annotation(kTtlAnnotation), ttl)) return Again::when_changed();
  const Result<Node> written = cluster_.client().patch<Node>(
      key, PatchType::kStrategic, ttl_patch(ttl), {.answer = Answer::kMetadata});
  if (!written) return written.error();
  return Again::when_changed();
}

void TtlController::write(JsonWriter& out) const {
  out.begin_object();
  out.member("step", static_cast<std::int64_t>(step_.load(std::memory_order_relaxed)));
  out.end_object();
}

Status TtlController::read(std::uint32_t /*version*/, Value state) {
  Status status;
  const StateFields fields(state, status);
  const std::int64_t step = fields.integer("step", {0, kStepCount - 1});
  if (!status.ok()) return status;
  step_.store(next_step(static_cast<std::size_t>(step), count_), std::memory_order_relaxed);
  return {};
}

}  // namespace davit::ttl

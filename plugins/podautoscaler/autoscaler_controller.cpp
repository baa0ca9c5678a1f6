#include "plugins/podautoscaler/autoscaler_controller.hpp"

#include <memory>
#include <utility>

namespace davit::podautoscaler {

AutoscalerController::AutoscalerController(Context& cluster, const Options& options)
    : cluster_(cluster),
      options_(options),
      metrics_(cluster),
      catalog_(cluster, options.period),
      values_(options.period),
      queue_(cluster.open_queue({.name = "horizontalpodautoscaler"},
                                [this](const Key& key) { return sync(key); })),
      pods_(cluster.open_informer<Pod>()),
      autoscalers_(cluster.open_informer<Autoscaler>(
          {.any = [this](const Event<Autoscaler>& event) { note(event); }})) {}

InitResult AutoscalerController::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<AutoscalerController>(cluster, *options));
}

void AutoscalerController::note(const Event<Autoscaler>& event) {
  const Key key = event.current.key();
  if (event.type == Event<Autoscaler>::Type::kDeleted) {
    selectors_.remove(key);
    metrics_.forget(key.ns, key.name);
  } else {
    selectors_.add(key);
    queue_.add_after(key, options_.period);
  }
  metrics_.count(selectors_.size());
}

Result<Again> AutoscalerController::sync(const Key& key) {
  const Lookup<Autoscaler> autoscaler = autoscalers_.get(key);
  if (!autoscaler) {
    memory_.forget(key);
    // A sync that ran while it was deleted may have written its gauge after note().
    metrics_.forget(key.ns, key.name);
    return Again::when_changed();
  }
  SyncRun run({{cluster_, options_, metrics_, catalog_, values_}, pods_, memory_, selectors_},
              *autoscaler);
  const Status done = run.run();
  if (done.code() == Code::kCancelled) return done;
  if (!done.ok()) {
    cluster_.log().error("an autoscaler cannot be reconciled",
                         {{"autoscaler", key.text()}, {"error", done.message()}});
  }
  return Again::after(options_.period);
}

void AutoscalerController::write(JsonWriter& out) const {
  out.begin_object().key("histories");
  memory_.write(out);
  out.key("selectors");
  selectors_.write(out);
  out.end_object();
}

Status AutoscalerController::read(std::uint32_t /*version*/, Value state) {
  if (state["histories"].kind() != Kind::kArray) {
    return {Code::kInvalid, "the state has no histories of autoscalers"};
  }
  if (Status s = memory_.read(state["histories"], cluster_.now()); !s.ok()) return s;
  return selectors_.read(state["selectors"]);
}

}  // namespace davit::podautoscaler

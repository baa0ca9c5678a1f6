#include "plugins/shared/replicas/replica_controller.hpp"

#include <davit/controller_ref_manager.hpp>
#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plugins/shared/owners/owners.hpp"
#include "plugins/shared/pods/availability.hpp"
#include "plugins/shared/replicas/pod_facts.hpp"

namespace davit::replicas {
namespace {

constexpr std::string_view kTerminatingOption = "terminatingReplicas";
constexpr std::string_view kExpectations = "expectations";

Result<TerminatingSupport::Mode> read_mode(Value option) {
  if (option.is_absent() || option.string() == "auto") return TerminatingSupport::Mode::kAuto;
  if (option.string() == "on") return TerminatingSupport::Mode::kOn;
  if (option.string() == "off") return TerminatingSupport::Mode::kOff;
  return Status(Code::kInvalid,
                std::string(kTerminatingOption) + " must be \"auto\", \"on\" or \"off\"");
}

template <typename Set>
Result<typename ReplicaController<Set>::Options> read_config(Value config) {
  Status checked = SetKind<Set>::kCountsTerminating
                       ? check_options(config, {kTerminatingOption, kWriteWindowOption})
                       : check_options(config, {kWriteWindowOption});
  if (!checked.ok()) return checked;
  typename ReplicaController<Set>::Options options;
  options.terminating = TerminatingSupport::Mode::kOff;
  if constexpr (SetKind<Set>::kCountsTerminating) {
    const Result<TerminatingSupport::Mode> mode = read_mode(config[kTerminatingOption]);
    if (!mode) return mode.error();
    options.terminating = *mode;
  }
  const Result<Duration> window = read_write_window(config);
  if (!window) return window.error();
  options.write_window = *window;
  return options;
}

}  // namespace

template <typename Set>
InitResult ReplicaController<Set>::open(Context& cluster) {
  const Result<Options> options = read_config<Set>(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<ReplicaController<Set>>(cluster, *options));
}

template <typename Set>
ReplicaController<Set>::ReplicaController(Context& cluster, const Options& options)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = SetKind<Set>::kQueue},
                                [this](const Key& key) { return sync(key); })),
      sets_(cluster.open_informer<Set>(
          {.added = [this](const Set& set) { changes_.set_added(set); },
           .updated = [this](const Set& old, const Set& set) { changes_.set_updated(old, set); },
           .deleted = [this](const Set& set) { changes_.set_deleted(set); }})),
      pods_(cluster.open_informer<Pod>(
          {.added = [this](const Pod& pod) { changes_.pods().added(pod); },
           .updated = [this](const Pod& old, const Pod& pod) { changes_.pods().updated(old, pod); },
           .deleted = [this](const Pod& pod) { changes_.pods().deleted(pod); }})),
      changes_(sets_, queue_, expectations_),
      scaler_(cluster, sets_, pods_, expectations_),
      terminating_(options.terminating),
      status_(cluster.client(), terminating_),
      status_window_(options.write_window) {}

template <typename Set>
Result<DebugPage> ReplicaController<Set>::debug(std::string_view path,
                                                std::string_view query) const {
  const std::optional<Key> key = key_of_waits_page(path);
  if (!key) return Controller::debug(path, query);
  return DebugPage{.body = expectations_.waits(*key, cluster_.now())};
}

template <typename Set>
Result<Again> ReplicaController<Set>::sync(const Key& key) {
  const Lookup<Set> set = sets_.get(key);
  if (!set) {  // Deleted. Its pods go with their owner.
    expectations_.erase(key);
    return Again::when_changed();
  }
  // Asked before the pods are read: one that the cache learns of in between would be made twice.
  const bool may_scale = expectations_.satisfied(key, cluster_.now());
  const Result<Selector> selector = selector_of(*set);
  if (!selector) {  // Until it changes, which adds the key.
    cluster_.log().error("invalid selector", {{SetKind<Set>::kLogField, key.text()},
                                              {"error", selector.error().message()}});
    return Again::when_changed();
  }
  if (terminating_.observe_cached(*set) == TerminatingSupport::Observed::kStoredNow) {
    for (const Set& each : sets_.list()) {
      if (!each.terminating_replicas()) queue_.add(each);
    }
  }
  const Candidates pods = candidates(*set, *selector);
  const Client client = cluster_.client();
  const Result<std::vector<Pod>> active =
      ControllerRefManager<Set, Pod>(client, *set, *selector).claim(pods.active);
  if (!active) return active.error();

  Status scaled;
  if (may_scale && !set->is_being_deleted()) scaled = scaler_.scale(*set, *active);
  const ScaleOutcome outcome = !may_scale    ? ScaleOutcome::kUntried
                               : scaled.ok() ? ScaleOutcome::kSucceeded
                                             : ScaleOutcome::kFailed;
  return report(*set, *active, pods.terminating, outcome, scaled);
}

template <typename Set>
void ReplicaController<Set>::write(JsonWriter& out) const {
  out.begin_object().key(kExpectations);
  expectations_.write(out);
  out.end_object();
}

template <typename Set>
Status ReplicaController<Set>::read(std::uint32_t, Value state) {
  Status status;
  return expectations_.read(StateFields(state, status), kExpectations, cluster_.now());
}

template <typename Set>
typename ReplicaController<Set>::Candidates ReplicaController<Set>::candidates(
    const Set& set, const Selector& selector) const {
  Candidates found;
  for (const Pod& pod : pods_.controlled_by(set)) {
    if (pod.is_active()) {
      found.active.push_back(pod);
    } else if (pod.is_terminating() && selector.matches(pod.labels())) {
      ++found.terminating;
    }
  }
  for (const Pod& pod : pods_.orphans(set.ns())) {
    if (pod.is_active()) found.active.push_back(pod);
  }
  return found;
}

template <typename Set>
Result<Again> ReplicaController<Set>::report(const Set& set, const std::vector<Pod>& active,
                                             std::size_t terminating, ScaleOutcome outcome,
                                             const Status& scaled) {
  const WallTime now = cluster_.wall_now();
  const TemplateLabels labels(set);
  std::vector<PodState> states;
  states.reserve(active.size());
  for (const Pod& pod : active) states.push_back(pod_state(pod, labels, set.min_ready(), now));

  StatusPlan plan;
  plan.now = now;
  plan.counts = count_replicas(states);
  if (terminating_.is_counted()) {
    plan.counts.terminating = static_cast<std::int64_t>(terminating);
  }
  plan.failure = plan_failure(
      outcome, set.condition(kReplicaFailure) ? FailureShown::kYes : FailureShown::kNo);
  if (plan.failure == FailureChange::kAdd) {
    plan.failure_reason = failure_reason(active.size(), set.replicas());
    plan.failure_message = scaled.message();
  }
  const typename StatusWriter<Set>::Change change = status_.change(set, plan);
  const Time began = cluster_.now();
  if (change == StatusWriter<Set>::Change::kCounts && scaled.ok()) {
    const Duration wait = status_window_.wait(set.key(), began);
    if (wait > Duration::zero()) return Again::after(wait);
  }
  if (change != StatusWriter<Set>::Change::kNone) {
    if (Status s = status_.write(set, plan); !s.ok()) return s;
    status_window_.wrote(set.key(), began);
  }
  if (!scaled.ok()) return scaled;
  if (plan.counts.ready == plan.counts.available) return Again::when_changed();
  return pods::when_available(active, set.min_ready(), now, cluster_.wall_now());
}

template class ReplicaController<ReplicaSet>;
template class ReplicaController<ReplicationController>;

}  // namespace davit::replicas

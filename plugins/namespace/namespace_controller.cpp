#include "plugins/namespace/namespace_controller.hpp"

#include <davit/kube/duration.hpp>
#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plugins/namespace/condition_plan.hpp"

namespace davit::namespaces {
namespace {

constexpr std::string_view kPeriodOption = "namespaceSyncPeriod";
constexpr std::chrono::milliseconds kDefaultPeriod = std::chrono::minutes(5);
constexpr Duration kAdmissionDelay = std::chrono::seconds(5);
constexpr std::chrono::milliseconds kBackoffMax = std::chrono::seconds(60);

/// The configured period of looking at all terminating namespaces again.
Result<std::chrono::milliseconds> read_period(Value config) {
  if (Status s = check_options(config, {kPeriodOption}); !s.ok()) return s;
  const Value option = config[kPeriodOption];
  if (option.is_absent()) return kDefaultPeriod;
  const std::optional<Duration> period = parse_duration(option.string());
  if (period && *period >= std::chrono::seconds(1)) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(*period);
  }
  return Status(Code::kInvalid, std::string(kPeriodOption) +
                                    " must be a duration of a second or more, such as \"5m\"");
}

}  // namespace

InitResult NamespaceController::open(Context& cluster) {
  return open_with(cluster, [&cluster](Asked asked) -> Result<Served> {
    const Discovery discovery = cluster.discovery();
    const Result<ServedCatalog> catalog =
        asked == Asked::kAtStart ? discovery.catalog() : discovery.fetch();
    if (!catalog) return catalog.error();
    return served(*catalog);
  });
}

InitResult NamespaceController::open_with(Context& cluster, Discover discover) {
  const Result<std::chrono::milliseconds> period = read_period(cluster.config());
  if (!period) return period.error();
  const Result<Served> found = discover(Asked::kAtStart);
  if (!found) {
    cluster.log().error("discovery failed", {{"error", found.error().message()}});
  } else if (!found->failures.empty()) {
    cluster.log().error("discovery failed in part",
                        {{"error", partial_failure_text(found->failures)}});
  }
  if (!found || found->kinds.empty()) {
    return Status(Code::kUnavailable, "Unable to get any supported resources from server");
  }
  return std::unique_ptr<Controller>(
      std::make_unique<NamespaceController>(cluster, std::move(discover), *period));
}

NamespaceController::NamespaceController(Context& cluster, Discover discover,
                                         std::chrono::milliseconds sync_period)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "namespace", .max_delay = kBackoffMax},
                                [this](const Key& key) { return sync(key); })),
      namespaces_(cluster.open_informer<Namespace>(
          {.added = [this](const Namespace& ns) { enqueue(ns); },
           .updated = [this](const Namespace&, const Namespace& ns) { enqueue(ns); }})),
      writer_(cluster.client()),
      deleter_(cluster, std::move(discover)) {
  cluster.start_timer({.first = sync_period, .period = sync_period}, [this] {
    for (const Namespace& each : namespaces_.list()) enqueue(each);
  });
}

void NamespaceController::enqueue(const Namespace& ns) const {
  if (ns.is_being_deleted()) queue_.add_after(ns.key(), kAdmissionDelay);
}

Result<Again> NamespaceController::sync(const Key& key) const {
  const auto gone_or = [](const Status& status) -> Result<Again> {
    if (status.code() == Code::kNotFound) return Again::when_changed();
    return status;
  };
  if (!namespaces_.get(key)) return Again::when_changed();
  const Result<Namespace> present = writer_.read(key.name);
  if (!present) return gone_or(present.error());
  if (!present->is_being_deleted()) return Again::when_changed();
  const Result<Namespace> marked = writer_.mark_terminating(*present);
  if (!marked) return gone_or(marked.error());
  if (!marked->is_being_deleted()) return Again::when_changed();
  // Emptied before; what its metadata holds is none of this controller's business.
  if (marked->content_finalizers().count() == 0) return Again::when_changed();
  return empty(*marked);
}

Result<Again> NamespaceController::empty(const Namespace& ns) const {
  const DeletionOutcome outcome = deleter_.empty(ns);
  if (outcome.error.code() == Code::kCancelled) return outcome.error;
  const Namespace reported = report(ns, outcome.findings);
  if (!outcome.error.ok()) return outcome.error;
  if (outcome.estimate > std::chrono::seconds(0)) {
    return Again::after(retry_delay(outcome.estimate));
  }
  const Status finalized = writer_.finalize(reported).unless(Code::kNotFound);
  if (!finalized.ok()) return finalized;
  return Again::when_changed();
}

Namespace NamespaceController::report(const Namespace& ns, const Findings& findings) const {
  const std::optional<std::string> conditions =
      plan_conditions(ns.conditions(), findings, cluster_.wall_now());
  if (!conditions) return ns;
  const Result<Namespace> written = writer_.write_conditions(ns, *conditions);
  if (written) return *written;
  cluster_.log().error("could not update the namespace's conditions",
                       {{"namespace", ns.name()}, {"error", written.error().message()}});
  return ns;
}

}  // namespace davit::namespaces

#include "plugins/endpoint/endpoints_controller.hpp"

#include <davit/kube/duration.hpp>
#include <memory>
#include <string>
#include <utility>

#include "plugins/endpoint/endpoints_object.hpp"
#include "plugins/endpoint/options.hpp"
#include "plugins/endpoint/pod_changes.hpp"
#include "plugins/endpoint/subset_plan.hpp"

namespace davit::endpoint {

namespace {

/// pkg/controller/endpoint.maxRetries
constexpr std::uint32_t kRetriesMax = 15;

}  // namespace

InitResult EndpointsController::open(Context& cluster) {
  const Result<Duration> batch_period =
      read_batch_period(cluster.config(), "endpointUpdatesBatchPeriod");
  if (!batch_period) return batch_period.error();
  return std::unique_ptr<Controller>(
      std::make_unique<EndpointsController>(cluster, Options{*batch_period}));
}

EndpointsController::EndpointsController(Context& cluster, Options options)
    : cluster_(cluster),
      options_(options),
      services_queue_(cluster.open_queue({.name = "endpoint", .retries_max = kRetriesMax},
                                         [this](const Key& key) { return sync(key); })),
      pods_queue_(cluster.open_queue({.name = {}, .retries_max = kRetriesMax},
                                     [this](const Key& key) { return sync_pod_change(key); })),
      services_(cluster.open_informer<Service>(
          {.added = [this](const Service& service) { services_queue_.add(service); },
           .updated = [this](const Service&,
                             const Service& service) { services_queue_.add(service); },
           .deleted = [this](const Service& service) { services_queue_.add(service); }})),
      pods_(cluster.open_informer<Pod>(
          {.added = [this](const Pod& pod) { pods_queue_.add(whole_change(pod).key()); },
           .updated =
               [this](const Pod& old, const Pod& pod) {
                 const std::optional<PodChange> change = change_between(old, pod);
                 if (change) pods_queue_.add(change->key());
               },
           .deleted = [this](const Pod& pod) { pods_queue_.add(whole_change(pod).key()); }})),
      endpoints_(cluster.open_informer<Endpoints>(
          {.deleted = [this](const Endpoints& gone) { services_queue_.add(gone); }})) {
  cluster.start_timer({}, [this] { queue_leftovers(); });
}

void EndpointsController::queue_leftovers() {
  for (const Endpoints& each : endpoints_.list()) {
    if (!each.annotation(kLeaderAnnotation)) services_queue_.add(each);
  }
}

Result<Again> EndpointsController::sync_pod_change(const Key& key) {
  const std::optional<PodChange> change = PodChange::parse(key);
  if (!change) return Status(Code::kInvalid, "no change of a pod: " + key.text());
  for (const Key& service : services_of(*change, services_)) {
    services_queue_.add_after(service, options_.batch_period);
  }
  return Again::when_changed();
}

Result<Again> EndpointsController::sync(const Key& key) {
  const std::optional<Service> service = services_.get(key);
  Status done;
  if (!service) {
    done = remove(key);
  } else if (!service->is_external_name() && service->selector().kind() == Kind::kObject) {
    done = bring_about(key, *service);
  }
  if (!done.ok()) return done;
  return Again::when_changed();
}

Status EndpointsController::remove(const Key& key) {
  // Those too that somebody made by hand, as the API server itself does (spec 5.2).
  const Status gone = cluster_.client().remove<Endpoints>(key).unless(Code::kNotFound);
  if (gone.ok()) trigger_times_.forget(key);
  return gone;
}

std::vector<Pod> EndpointsController::pods_of(const Service& service) const {
  std::vector<Pod> pods;
  for (const Pod& pod : pods_.in_namespace(service.ns())) {
    if (service.selects(pod.labels())) pods.push_back(pod);
  }
  return pods;
}

Status EndpointsController::bring_about(const Key& key, const Service& service) {
  const std::vector<Pod> pods = pods_of(service);
  const std::optional<WallTime> trigger = trigger_times_.next(key, service, pods);
  SubsetPlan plan = plan_subsets(service, pods);
  for (const std::string& note : plan.notes) {
    cluster_.log().verbose(2, "left out of endpoints", {{"service", key.text()}, {"what", note}});
  }
  const std::optional<Endpoints> current = endpoints_.get(key);
  if (current && is_right(*current, service, plan.subsets)) return {};
  const Capacity capacity = truncate(plan.subsets) ? Capacity::kTruncated : Capacity::kWithin;
  std::string body = endpoints_body(current, service, plan.subsets, capacity, trigger);
  return current ? update(*current, std::move(body)) : create(key, std::move(body));
}

Status EndpointsController::create(const Key& key, std::string body) {
  const Status created = cluster_.client().create<Endpoints>(key.ns, std::move(body)).error();
  if (created.ok() || created.has_cause("NamespaceTerminating")) return {};
  // Upstream's object has no namespace yet, so its event goes to "default" (spec 13.3).
  cluster_.events().record(
      Endpoints::kResource, EventSubject{.name = key.name}, "Warning", "FailedToCreateEndpoint",
      "Failed to create endpoint for service " + key.text() + ": " + created.message());
  return created;
}

Status EndpointsController::update(const Endpoints& current, std::string body) {
  const Key key = current.key();
  const Status updated = cluster_.client().update<Endpoints>(key, std::move(body)).error();
  if (!updated.ok()) {
    cluster_.events().warning(current, "FailedToUpdateEndpoint",
                              "Failed to update endpoint " + key.text() + ": " + updated.message());
  }
  return updated;
}

}  // namespace davit::endpoint

#include "plugins/endpoint/endpoints_controller.hpp"

#include <davit/mutant.hpp>
#include <memory>
#include <string>
#include <utility>

#include "plugins/endpoint/endpoints_object.hpp"
#include "plugins/endpoint/malformed.hpp"
#include "plugins/endpoint/subset_plan.hpp"
#include "plugins/endpoint/triggers.hpp"
#include "plugins/endpoint/truncation.hpp"

namespace davit::endpoint {

namespace {

/// pkg/controller/endpoint.maxRetries
constexpr std::uint32_t kRetriesMax = 15;

}  // namespace

InitResult EndpointsController::open(Context& cluster) {
  const Result<EndpointsOptions> options = read_endpoints_options(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<EndpointsController>(cluster, *options));
}

EndpointsController::EndpointsController(Context& cluster, const EndpointsOptions& options)
    : cluster_(cluster),
      options_(options),
      window_(options.write_window),
      services_queue_(cluster.open_queue({.name = "endpoint", .retries_max = kRetriesMax},
                                         [this](const Key& key) { return sync(key); })),
      pods_queue_(cluster.open_queue({.name = {}, .retries_max = kRetriesMax},
                                     [this](const Key& key) { return sync_pod_change(key); })),
      services_(cluster.open_informer<Service>(service_handlers(services_queue_, selectors_))),
      pods_(cluster.open_informer<Pod>(pod_handlers(pods_queue_))),
      endpoints_(cluster.open_informer<Endpoints>({.deleted = [this](const Endpoints& gone) {
        if (!mutant("deleted-endpoints")) services_queue_.add(gone);
      }})) {
  cluster.start_timer({}, [this] { queue_leftovers(); });
}

void EndpointsController::write(JsonWriter& out) const {
  out.begin_object().key("triggers");
  trigger_times_.write(out);
  out.end_object();
}

Status EndpointsController::read(std::uint32_t, Value state) {
  Status status;
  TriggerTimes::Content triggers = TriggerTimes::read(StateFields(state, status), "triggers");
  if (status.ok()) trigger_times_.replace(std::move(triggers));
  return status;
}

void EndpointsController::queue_leftovers() {
  for (const Endpoints& each : endpoints_.list()) {
    if (!each.annotation(kLeaderAnnotation) || mutant("leader-endpoints"))
      services_queue_.add(each);
  }
}

Result<Again> EndpointsController::sync_pod_change(const Key& key) {
  return queue_services_of(key, selectors_, services_, services_queue_, options_.batch_period);
}

Result<Again> EndpointsController::sync(const Key& key) {
  const Lookup<Service> service = services_.get(key);
  if (service) log_mistakes(cluster_.log(), *service);
  Status done;
  if (!service) {
    done = remove(key);
  } else if (!service->is_external_name() &&
             (service->selector().kind() == Kind::kObject || mutant("no-selector"))) {
    const Duration wait = window_.wait(key, cluster_.now());
    if (wait > Duration::zero()) return Again::after(wait);
    done = reconcile(key, *service);
  }
  if (!done.ok()) return done;
  return Again::when_changed();
}

Status EndpointsController::remove(const Key& key) {
  // Also deletes Endpoints that a user made by hand, as the API server itself does (spec 5.2).
  const Status gone = cluster_.client().remove<Endpoints>(key).unless(Code::kNotFound);
  if (gone.ok()) trigger_times_.forget(key);
  return gone;
}

Status EndpointsController::reconcile(const Key& key, const Service& service) {
  const std::vector<Pod> pods = selected_pods(service, pods_);
  log_mistakes(cluster_.log(), pods);
  const std::optional<WallTime> trigger = trigger_times_.next(key, service, pods);
  SubsetPlan plan = plan_subsets(service, pods);
  for (const std::string& note : plan.notes) {
    cluster_.log().verbose(2, "left out of endpoints", {{"service", key.text()}, {"what", note}});
  }
  const Lookup<Endpoints> current = endpoints_.get(key);
  if (!mutant("same-endpoints") && current && is_right(*current, service, plan.subsets)) return {};
  const Capacity capacity = truncate(plan.subsets) ? Capacity::kTruncated : Capacity::kWithin;
  std::string body = endpoints_body(current, service, plan.subsets, capacity, trigger);
  const Time began = cluster_.now();
  Status written = current ? update(*current, std::move(body)) : create(key, std::move(body));
  if (written.ok()) window_.wrote(key, began, cluster_.now() - began);
  return written;
}

Status EndpointsController::create(const Key& key, std::string body) {
  const Status created =
      cluster_.client()
          .create<Endpoints>(key.ns, std::move(body), {.answer = Answer::kMetadata})
          .error();
  if (created.ok() || created.has_cause("NamespaceTerminating")) return {};
  // Upstream's object has no namespace yet, so its event goes to "default" (spec 13.3).
  cluster_.events().record(
      Endpoints::kResource, EventSubject{.name = key.name}, "Warning", "FailedToCreateEndpoint",
      "Failed to create endpoint for service " + key.text() + ": " + created.message());
  return created;
}

Status EndpointsController::update(const Endpoints& current, std::string body) {
  const Key key = current.key();
  const Status updated = cluster_.client()
                             .update<Endpoints>(key, std::move(body), {.answer = Answer::kMetadata})
                             .error();
  if (!updated.ok()) {
    cluster_.events().warning(current, "FailedToUpdateEndpoint",
                              "Failed to update endpoint " + key.text() + ": " + updated.message());
  }
  return updated;
}

}  // namespace davit::endpoint

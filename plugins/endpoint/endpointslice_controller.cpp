#include "plugins/endpoint/endpointslice_controller.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plugins/endpoint/malformed.hpp"
#include "plugins/endpoint/slice_object.hpp"
#include "plugins/endpoint/triggers.hpp"
#include "plugins/endpoint/wanted_endpoints.hpp"
#include "plugins/shared/endpoint/slice_changes.hpp"
#include "plugins/shared/nodes/node_ready.hpp"

namespace davit::endpoint {

namespace {

using std::chrono::milliseconds;

/// pkg/controller/endpointslice.maxRetries
constexpr std::uint32_t kSliceRetriesMax = 15;
/// Slices fail for lack of Nodes or caches, which take longer than upstream's usual 5 ms.
constexpr milliseconds kBackOffFirst{1'000};
constexpr milliseconds kBackOffMost{1'000'000};
/// The delay between another client's change of a slice and the sync of its Service
/// (endpointSliceChangeMinSyncDelay).
constexpr Duration kSliceChangeDelay = std::chrono::seconds(1);

}  // namespace

InitResult EndpointSliceController::open(Context& cluster) {
  const Result<SliceOptions> options = read_slice_options(cluster.config());
  if (!options) return options.error();
  const Status served = cluster.client().resource_exists(EndpointSlice::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  // When that is not known, the caches wait until it is.
  return std::unique_ptr<Controller>(std::make_unique<EndpointSliceController>(cluster, *options));
}

EndpointSliceController::EndpointSliceController(Context& cluster, const SliceOptions& options)
    : cluster_(cluster),
      options_(options),
      window_(options.write_window),
      metrics_(cluster),
      services_queue_(cluster.open_queue({.name = "endpoint_slice",
                                          .base_delay = kBackOffFirst,
                                          .max_delay = kBackOffMost,
                                          .retries_max = kSliceRetriesMax},
                                         [this](const Key& key) { return sync(key); })),
      pods_queue_(cluster.open_queue({.name = {}, .retries_max = kSliceRetriesMax},
                                     [this](const Key& key) { return sync_pod_change(key); })),
      nodes_queue_(cluster.open_queue({.name = {}, .workers = 1},
                                      [this](const Key&) { return sync_nodes(); })),
      services_(cluster.open_informer<Service>(service_handlers(services_queue_, selectors_))),
      pods_(cluster.open_informer<Pod>(pod_handlers(pods_queue_))),
      nodes_(cluster.open_informer<Node>(node_handlers())),
      slices_(cluster.open_informer<EndpointSlice>(
          slice_handlers(kSliceManager, generations_,
                         [this](const EndpointSlice& slice) { queue_service_of(slice); }))),
      reconciler_(cluster, options.endpoints_max,
                  {nodes_, generations_, zones_, metrics_, window_}) {}

void EndpointSliceController::write(JsonWriter& out) const {
  out.begin_object().key("triggers");
  trigger_times_.write(out);
  out.key("generations");
  generations_.write(out);
  out.key("zones");
  zones_.write(out);
  out.end_object();
}

Status EndpointSliceController::read(std::uint32_t, Value state) {
  Status status;
  const StateFields fields(state, status);
  TriggerTimes::Content triggers = TriggerTimes::read(fields, "triggers");
  SliceGenerations::Content generations = SliceGenerations::read(fields, "generations");
  ZoneMemory::Content zones = ZoneMemory::read(fields.object("zones"));
  if (!status.ok()) return status;
  trigger_times_.replace(std::move(triggers));
  generations_.replace(std::move(generations));
  zones_.replace(std::move(zones));
  return {};
}

Handlers<Node> EndpointSliceController::node_handlers() {
  // One item for all Nodes: they are always looked at together.
  const auto look = [this] { nodes_queue_.add(Key{{}, "nodes"}); };
  return {.added = [look](const Node&) { look(); },
          .updated =
              [look](const Node& old, const Node& node) {
                if (nodes::is_ready(old) != nodes::is_ready(node) ||
                    old.label(kZoneLabel) != node.label(kZoneLabel)) {
                  look();
                }
              },
          .deleted = [look](const Node&) { look(); }};
}

void EndpointSliceController::queue_service_of(const EndpointSlice& slice) {
  if (const std::optional<Key> service = service_of(slice)) {
    services_queue_.add_after(*service, std::max(kSliceChangeDelay, options_.batch_period));
  } else {
    cluster_.log().warning("slice names no Service", {{"slice", slice.key().text()}});
  }
}

Result<Again> EndpointSliceController::sync_pod_change(const Key& key) {
  return queue_services_of(key, selectors_, services_, services_queue_, options_.batch_period);
}

Result<Again> EndpointSliceController::sync_nodes() {
  std::vector<Node> nodes;
  for (const Node& each : nodes_.list()) nodes.push_back(each);
  zones_.set_ratios(zone_ratios(nodes));
  for (const Key& each : zones_.overloaded()) services_queue_.add(each);
  return Again::when_changed();
}

Result<Again> EndpointSliceController::sync(const Key& key) {
  const Lookup<Service> service = services_.get(key);
  if (service) log_mistakes(cluster_.log(), *service);
  if (!service) {
    // Its slices go with their owner.
    trigger_times_.forget(key);
    metrics_.forget(key);
    generations_.forget(key);
  } else if (!service->is_external_name() && service->selector().kind() == Kind::kObject) {
    const Duration wait = window_.wait(key, cluster_.now());
    if (wait > Duration::zero()) return Again::after(wait);
    const Status done = reconcile(key, *service);
    if (!done.ok()) return done;
  }
  metrics_.synced(SliceMetrics::SyncResult::kSuccess);
  return Again::when_changed();
}

Status EndpointSliceController::reconcile(const Key& key, const Service& service) {
  const std::vector<Pod> pods = selected_pods(service, pods_);
  log_mistakes(cluster_.log(), pods);
  std::vector<EndpointSlice> slices;
  for (const EndpointSlice& each :
       slices_.by_label(key.ns, EndpointSlice::kServiceNameLabel, key.name)) {
    if (is_managed(each) && !each.is_being_deleted()) slices.push_back(each);
  }
  if (generations_.is_stale(key, slices)) {
    metrics_.synced(SliceMetrics::SyncResult::kStale);
    return Status(Code::kUnavailable, "EndpointSlice informer cache is out of date");
  }
  const std::optional<WallTime> trigger = trigger_times_.next(key, service, pods);
  const Status done = reconciler_.run({service, pods, slices, trigger});
  if (!done.ok()) {
    metrics_.synced(SliceMetrics::SyncResult::kError);
    cluster_.events().warning(
        service, "FailedToUpdateEndpointSlices",
        "Error updating Endpoint Slices for Service " + key.text() + ": " + done.message());
  }
  return done;
}

}  // namespace davit::endpoint

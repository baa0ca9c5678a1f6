#include "plugins/endpointslicemirroring/endpointslice_mirroring_controller.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "plugins/shared/endpoint/slice_changes.hpp"

namespace davit::endpointslicemirroring {
namespace {

/// pkg/controller/endpointslicemirroring: maxRetries, defaultSyncBackOff, maxSyncBackOff.
constexpr std::uint32_t kRetriesMax = 15;
constexpr std::chrono::milliseconds kBackOffFirst = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kBackOffMost = std::chrono::seconds(100);

bool has_selector(const Service& service) {
  return !service.selector().is_absent() && service.selector().kind() != Kind::kNull;
}

}  // namespace

InitResult EndpointSliceMirroringController::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  const Status served = cluster.client().resource_exists(EndpointSlice::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return std::unique_ptr<Controller>(
      std::make_unique<EndpointSliceMirroringController>(cluster, *options));
}

EndpointSliceMirroringController::EndpointSliceMirroringController(Context& cluster,
                                                                   const Options& options)
    : cluster_(cluster),
      options_(options),
      metrics_(cluster),
      queue_(cluster.open_queue({.name = "endpoint_slice_mirroring",
                                 .base_delay = kBackOffFirst,
                                 .max_delay = kBackOffMost,
                                 .retries_max = kRetriesMax},
                                [this](const Key& key) { return sync(key); })),
      endpoints_(cluster.open_informer<Endpoints>(endpoints_handlers())),
      services_(cluster.open_informer<Service>(service_handlers())),
      slices_(cluster.open_informer<EndpointSlice>(
          endpoint::slice_handlers(kMirrorManager, generations_,
                                   [this](const EndpointSlice& slice) { queue_of_slice(slice); }))),
      writer_(cluster, generations_, metrics_) {}

void EndpointSliceMirroringController::write(JsonWriter& out) const {
  out.begin_object().key("generations");
  generations_.write(out);
  out.end_object();
}

Status EndpointSliceMirroringController::read(std::uint32_t, Value state) {
  Status status;
  const StateFields fields(state, status);
  auto generations = endpoint::SliceGenerations::read(fields, "generations");
  if (!status.ok()) return status;
  generations_.replace(std::move(generations));
  return {};
}

Handlers<Service> EndpointSliceMirroringController::service_handlers() {
  const auto queue = [this](const Service& service) {
    if (!has_selector(service)) queue_.add(service);
  };
  return {.added = queue,
          .updated =
              [this](const Service& old, const Service& service) {
                if (has_selector(old) != has_selector(service)) queue_.add(service);
              },
          .deleted = queue};
}

Handlers<Endpoints> EndpointSliceMirroringController::endpoints_handlers() {
  const auto queue = [this](const Endpoints& endpoints) {
    if (should_mirror(endpoints)) queue_.add(endpoints);
  };
  return {.added = queue,
          .updated =
              [this](const Endpoints& old, const Endpoints& endpoints) {
                if (should_mirror(old) || should_mirror(endpoints)) queue_.add(endpoints);
              },
          .deleted = queue};
}

void EndpointSliceMirroringController::queue_of_slice(const EndpointSlice& slice) const {
  if (const std::optional<Key> key = endpoint::service_of(slice)) {
    queue_.add_after(*key, options_.batch_period);
  } else {
    cluster_.log().warning("slice names no Service", {{"slice", slice.key().text()}});
  }
}

Result<Again> EndpointSliceMirroringController::sync(const Key& key) {
  const Time began = cluster_.now();
  const Status done = reconcile(key, endpoints_.get(key));
  metrics_.synced(cluster_.now() - began);
  if (!done.ok()) return done;
  return Again::when_changed();
}

bool EndpointSliceMirroringController::is_mirrored(const Key& key,
                                                   const Lookup<Endpoints>& endpoints) const {
  if (!endpoints || !should_mirror(*endpoints)) return false;
  const Lookup<Service> service = services_.get(key);
  return service && !has_selector(*service);
}

Status EndpointSliceMirroringController::reconcile(const Key& key,
                                                   const Lookup<Endpoints>& endpoints) {
  const std::vector<EndpointSlice> slices = slices_of(key);
  if (!is_mirrored(key, endpoints)) {
    generations_.forget(key);
    metrics_.forget(key);
    return writer_.clean_up(key, slices);
  }
  if (generations_.is_stale(key, slices)) {
    return Status(Code::kUnavailable, "EndpointSlice informer cache is out of date");
  }
  const WantedMirror wanted =
      wanted_mirror(endpoint::read_subsets(*endpoints), options_.endpoints_max);
  report_skipped(*endpoints, wanted);
  const MirrorPlan plan = plan_mirror(*endpoints, slices, wanted, options_.endpoints_max);
  metrics_.planned(key, plan, wanted.skipped);
  for (const EndpointSlice& each : plan.kept) {
    if (generations_.should_sync(each)) {
      generations_.wrote(key, each.uid(), each.generation());
    }
  }
  return writer_.write(*endpoints, plan);
}

std::vector<EndpointSlice> EndpointSliceMirroringController::slices_of(const Key& key) const {
  std::vector<EndpointSlice> slices;
  for (const EndpointSlice& each :
       slices_.by_label(key.ns, EndpointSlice::kServiceNameLabel, key.name)) {
    if (is_managed(each)) slices.push_back(each);
  }
  // The first one of several for the same ports stays, so their order is fixed.
  std::sort(slices.begin(), slices.end(),
            [](const EndpointSlice& a, const EndpointSlice& b) { return a.name() < b.name(); });
  return slices;
}

void EndpointSliceMirroringController::report_skipped(const Endpoints& endpoints,
                                                      const WantedMirror& wanted) const {
  const Kind kind = endpoints.subsets().kind();
  if (kind != Kind::kArray && kind != Kind::kAbsent && kind != Kind::kNull) {
    cluster_.log().error(
        "malformed Endpoints: no address is mirrored",
        {{"endpoints", endpoints.key().text()}, {"what", "subsets is not a list"}});
  }
  if (wanted.invalid > 0) {
    cluster_.events().warning(endpoints, "InvalidIPAddress",
                              "Skipped " + std::to_string(wanted.invalid) +
                                  " invalid IP addresses when mirroring to EndpointSlices");
  }
  if (wanted.skipped > wanted.invalid) {
    cluster_.events().warning(
        endpoints, "TooManyAddressesToMirror",
        "A max of " + std::to_string(options_.endpoints_max) +
            " addresses can be mirrored to EndpointSlices per Endpoints subset. " +
            std::to_string(wanted.skipped) + " addresses were skipped");
  }
}

}  // namespace davit::endpointslicemirroring

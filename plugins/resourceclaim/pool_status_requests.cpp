#include "plugins/resourceclaim/pool_status_requests.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/options.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "plugins/shared/gates/read_switch.hpp"

namespace davit::resourceclaim {
namespace {

using std::chrono::seconds;

constexpr std::string_view kGateSwitch = "resourcePoolStatus";
constexpr std::string_view kByDriver = "driver";

constexpr std::uint32_t kRetriesMax = 5;
/// When a request whose pools are incomplete is looked at again, since the first time.
constexpr std::array<seconds, 5> kLooks = {seconds(1), seconds(3), seconds(7), seconds(15),
                                           seconds(31)};
/// Users name drivers, and each label value costs memory for ever (D15).
constexpr std::size_t kLabelsMax = 100;

constexpr std::chrono::minutes kCleanUpPeriod{10};
constexpr std::chrono::hours kAnsweredTtl{1};
constexpr std::chrono::hours kPendingTtl{24};

std::vector<double> buckets() {
  constexpr int kCount = 15;
  std::vector<double> out;
  double bound = 0.001;
  for (int i = 0; i < kCount; ++i, bound *= 2) out.push_back(bound);
  return out;
}

}  // namespace

InitResult PoolStatusRequests::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kGateSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kGateSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate DRAResourcePoolStatus is off");
  const Status served = cluster.client().resource_exists(PoolRequest::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<PoolStatusRequests>(cluster);
}

PoolStatusRequests::PoolStatusRequests(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = {}, .retries_max = kRetriesMax},
                                [this](const Key& key) { return sync(key); })),
      requests_(cluster.open_informer<PoolRequest>(
          {.any = [this](const Event<PoolRequest>& event) { on_request(event); }})),
      slices_(cluster.open_informer<Slice>(
          {.added = [this](const Slice& added) { on_slice(added); },
           .updated = [this](const Slice&, const Slice& current) { on_slice(current); }})),
      claims_(cluster.open_informer<Claim>()),
      metrics_{
          cluster.open_metric(
              {.type = MetricType::kCounter,
               .name = "resourcepoolstatusrequest_controller_requests_processed_total",
               .help = "Number of ResourcePoolStatusRequests whose status was written",
               .labels = {"driver_name"}}),
          cluster.open_metric(
              {.type = MetricType::kCounter,
               .name = "resourcepoolstatusrequest_controller_request_processing_errors_total",
               .help = "Number of failed writes of a status",
               .labels = {"driver_name"}}),
          cluster.open_metric(
              {.type = MetricType::kHistogram,
               .name = "resourcepoolstatusrequest_controller_request_processing_duration_seconds",
               .help = "Time that the processing of a ResourcePoolStatusRequest takes",
               .labels = {"driver_name"},
               .buckets = buckets()})} {
  cluster.add_index(requests_, kByDriver, "spec.driver");
  cluster.add_index(slices_, kByDriver, "spec.driver");
  cluster.add_index(claims_, kByDriver, "status.allocation.devices.results[].driver");
  cluster.start_timer({.period = kCleanUpPeriod}, [this] { clean_up(); });
}

void PoolStatusRequests::on_request(const Event<PoolRequest>& event) {
  if (event.type == Event<PoolRequest>::Type::kDeleted) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(std::string(event.current.uid()));
    return;
  }
  if (!event.current.has_status()) queue_.add(event.current);
}

void PoolStatusRequests::on_slice(const Slice& slice) const {
  for (const PoolRequest& each : requests_.by_index(kByDriver, slice.driver())) {
    if (!each.has_status()) queue_.add(each);
  }
}

Result<Again> PoolStatusRequests::sync(const Key& key) {
  const Time began = cluster_.now();
  const Lookup<PoolRequest> request = requests_.get(key);
  if (!request || request->has_status()) return Again::when_changed();
  Pools pools(*request);
  for (const Slice& each : slices_.by_index(kByDriver, request->driver())) pools.add(each);
  for (const Claim& each : claims_.by_index(kByDriver, request->driver())) pools.add(each);
  if (pools.lacks_slices()) {
    const std::optional<Duration> rest = wait(*request);
    if (rest) return Again::after(*rest);
  }
  if (Status s = write(*request, pools, began); !s.ok()) return s;
  return Again::when_changed();
}

std::optional<Duration> PoolStatusRequests::wait(const PoolRequest& request) {
  const std::lock_guard lock(mutex_);
  const Time now = cluster_.now();
  const Time since = waiting_.try_emplace(std::string(request.uid()), now).first->second;
  for (const seconds look : kLooks) {
    if (now < since + look) return since + look - now;
  }
  return std::nullopt;
}

Status PoolStatusRequests::write(const PoolRequest& request, const Pools& pools, Time began) {
  const std::string label = label_of(request.driver());
  Status written =
      cluster_.client()
          .patch<PoolRequest>(request.key(), PatchType::kMerge, pools.patch(cluster_.wall_now()),
                              {.subresource = "status", .answer = Answer::kMetadata})
          .error();
  if (written.code() == Code::kCancelled) return written;
  metrics_.processed.record(1, {label});
  if (!written.ok()) metrics_.errors.record(1, {label});
  const std::chrono::duration<double> took = cluster_.now() - began;
  metrics_.seconds.record(took.count(), {label});
  if (written.ok()) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(std::string(request.uid()));
  }
  return written;
}

std::string PoolStatusRequests::label_of(std::string_view driver) {
  const std::lock_guard lock(mutex_);
  if (labels_.contains(driver)) return std::string(driver);
  if (labels_.size() == kLabelsMax) return "other";
  return *labels_.emplace(driver).first;
}

void PoolStatusRequests::clean_up() const {
  for (const PoolRequest& each : requests_.list()) {
    if (!is_over(each)) continue;
    const Status removed = cluster_.client()
                               .remove<PoolRequest>(each.key(), {.uid = std::string(each.uid())})
                               .unless(Code::kNotFound);
    if (removed.code() == Code::kCancelled) return;
    if (removed.ok()) continue;
    cluster_.log().warning("Deleting a request whose time is over failed",
                           {{"request", each.name()}, {"error", removed.message()}});
  }
}

bool PoolStatusRequests::is_over(const PoolRequest& request) const {
  const auto is_past = [&](std::optional<WallTime> since, Duration ttl) {
    return since && cluster_.wall_now() - *since > ttl;
  };
  if (!request.has_status()) return is_past(request.creation_time(), kPendingTtl);
  for (const std::string_view type : {"Complete", "Failed"}) {
    const std::optional<ConditionView> found =
        find_condition(request.status()[&Names::conditions], type);
    if (found) return is_past(found->last_transition_time(), kAnsweredTtl);
  }
  return is_past(request.creation_time(), kAnsweredTtl);
}

}  // namespace davit::resourceclaim

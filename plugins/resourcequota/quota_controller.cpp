#include "plugins/resourcequota/quota_controller.hpp"

#include <davit/kube/duration.hpp>
#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/resourcequota/counting.hpp"
#include "plugins/resourcequota/quota_plan.hpp"

namespace davit::resourcequota {
namespace {

constexpr std::string_view kPeriodOption = "resourceQuotaSyncPeriod";
constexpr std::chrono::milliseconds kDefaultPeriod = std::chrono::minutes(5);
/// The time after which a lowered usage is counted again: caches are rarely behind for longer.
constexpr std::chrono::seconds kRecountDelay{10};

/// The configured period of counting everything again; 0: never.
Result<std::chrono::milliseconds> read_period(Value config) {
  if (Status s = check_options(config, {kPeriodOption}); !s.ok()) return s;
  const Value option = config[kPeriodOption];
  if (option.is_absent()) return kDefaultPeriod;
  const std::optional<Duration> period = parse_duration(option.string());
  const bool is_valid =
      period && (*period == Duration(0) || *period >= std::chrono::milliseconds(1));
  if (is_valid) return std::chrono::duration_cast<std::chrono::milliseconds>(*period);
  return Status(Code::kInvalid, std::string(kPeriodOption) +
                                    " must be a duration such as \"5m\"; \"0s\" switches it off");
}

/// One text of all errors, as upstream joins them.
Status joined(const std::vector<Status>& errors) {
  if (errors.empty()) return {};
  if (errors.size() == 1) return errors.front();
  std::string text = "[";
  for (const Status& each : errors) text += (text.size() > 1 ? ", " : "") + each.message();
  return {errors.back().code(), text + "]"};
}

}  // namespace

InitResult QuotaController::open(Context& cluster) {
  return open_with(cluster, [&cluster](Freshness freshness) {
    return find_offer(cluster.discovery(), freshness, cluster.now());
  });
}

InitResult QuotaController::open_with(Context& cluster, Discover discover) {
  const Result<std::chrono::milliseconds> period = read_period(cluster.config());
  if (!period) return period.error();
  // A server that cannot say what it offers is asked again by the first round.
  const Offer first = offer::whole(discover(Freshness::kRecent)).value_or(Offer());
  return std::unique_ptr<Controller>(
      std::make_unique<QuotaController>(cluster, std::move(discover), first, *period));
}

QuotaController::QuotaController(Context& cluster, Discover discover, const Offer& first,
                                 std::chrono::milliseconds sync_period)
    : cluster_(cluster),
      primary_(cluster.open_queue({.name = "resourcequota_primary"},
                                  [this](const Key& key) { return sync(key); })),
      priority_(cluster.open_queue({.name = "resourcequota_priority"},
                                   [this](const Key& key) { return sync(key); })),
      changes_(
          cluster.open_queue({.name = "resource_quota_controller_resource_changes", .workers = 1},
                             [this](const Key& key) { return replenish(key); })),
      rounds_(cluster.open_queue({.name = {}, .workers = 1},
                                 [this](const Key& key) { return monitors_.sync(key); })),
      quotas_(cluster.open_informer<ResourceQuota>(
          {.added = [this](const ResourceQuota& quota) { enqueue(quota); },
           .updated =
               [this](const ResourceQuota& old, const ResourceQuota& quota) {
                 if (old.uid() != quota.uid() || !has_equal_hard(old, quota)) enqueue(quota);
               },
           .deleted = [this](const ResourceQuota& quota) { primary_.add(quota); }})),
      monitors_(cluster, {rounds_, changes_, [this] { recalculate_all(); }}, std::move(discover),
                first) {
  if (sync_period.count() > 0) {
    cluster.start_timer({.first = sync_period, .period = sync_period}, [this] {
      for (const ResourceQuota& each : quotas_.list()) primary_.add(each);
    });
  }
}

void QuotaController::enqueue(const ResourceQuota& quota) const {
  const Queue& queue = is_urgent(quota, *monitors_.registry()) ? priority_ : primary_;
  queue.add(quota);
}

void QuotaController::recalculate_all() const {
  for (const ResourceQuota& each : quotas_.list()) enqueue(each);
}

Result<Again> QuotaController::replenish(const Key& change) const {
  const quota::DeviceClasses classes = monitors_.registry()->read_device_classes();
  for (const ResourceQuota& each : quotas_.in_namespace(change.ns)) {
    if (is_about(each, change.name, classes)) primary_.add(each);
  }
  return Again::when_changed();
}

Result<Again> QuotaController::sync(const Key& key) const {
  // Every quota is added when the monitors open.
  if (!monitors_.is_open()) return Again::when_changed();
  const Lookup<ResourceQuota> quota = quotas_.get(key);
  if (!quota) return Again::when_changed();
  NamespaceUsage usage = count_usage(*monitors_.registry(), *quota, cluster_.wall_now());
  const Amounts used = plan_used(*quota, usage.used);
  if (!is_current(*quota, used)) {
    const Status written =
        cluster_.client()
            .update<ResourceQuota>(key, status_body(*quota, used),
                                   {.subresource = "status", .answer = Answer::kMetadata})
            .error();
    if (written.code() == Code::kCancelled) return written;
    // A write that has failed may be stored all the same.
    if (has_lowered(*quota, used)) primary_.add_after(key, kRecountDelay);
    if (!written.ok()) usage.errors.push_back(written);
  }
  if (Status failed = joined(usage.errors); !failed.ok()) return failed;
  return Again::when_changed();
}

}  // namespace davit::resourcequota

#include "plugins/servicecidr/service_cidr_controller.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit::servicecidr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kManager = "service-cidr-controller";
constexpr std::uint32_t kRetriesMax = 15;
/// API servers stop assigning from a ServiceCIDR when they see that it is being deleted; what they
/// assigned until then has its IPAddress by the end of this time.
constexpr seconds kGrace{10};
constexpr milliseconds kVerifyPause{200};

constexpr std::string_view kAddFinalizer = "finalizers";
constexpr std::string_view kRemoveFinalizer = "$deleteFromPrimitiveList/finalizers";

}  // namespace

ServiceCidrController::ServiceCidrController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "ipaddresses", .retries_max = kRetriesMax},
                                [this](const Key& key) { return sync(key); })),
      ranges_(cluster.open_informer<ServiceCidr>(
          {.added = [this](const ServiceCidr& object) { add_overlapping(object); },
           .updated = [this](const ServiceCidr& old,
                             const ServiceCidr& object) { add_changed(old, object); },
           .deleted = [this](const ServiceCidr& object) { queue_.add(object); }})),
      addresses_(cluster.open_informer<IpAddress>(
          {.added = [this](const IpAddress& object) { add_holding(object); },
           .updated = [this](const IpAddress& old,
                             const IpAddress& object) { add_given_up(old, object); },
           .deleted = [this](const IpAddress& object) { add_holding(object); }})) {}

void ServiceCidrController::add_overlapping(const ServiceCidr& object) const {
  queue_.add(object);
  for (std::string& each : Ranges(ranges_.list()).overlapping(Range(object))) {
    queue_.add(Key{.ns = "", .name = std::move(each)});
  }
}

/// A second family may make it the parent of one that waits to be deleted.
void ServiceCidrController::add_changed(const ServiceCidr& old, const ServiceCidr& object) const {
  const bool grew = old.cidrs() != object.cidrs();
  if (grew && !mutant("grown-range")) return add_overlapping(object);
  queue_.add(object);
}

/// An address that loses one of the labels by which is_deletable() finds it holds nothing any more.
void ServiceCidrController::add_given_up(const IpAddress& old, const IpAddress& object) const {
  const bool is_held =
      object.is_allocated() && object.label(kFamilyLabel) == old.label(kFamilyLabel);
  if (!is_held && !mutant("address-without-its-label")) add_holding(old);
}

void ServiceCidrController::add_holding(const IpAddress& object) const {
  if (!object.is_allocated()) return;
  const std::optional<ip::Address> address = ip::Address::parse(object.name());
  if (!address) return;
  for (std::string& each : Ranges(ranges_.list()).holding(*address)) {
    queue_.add(Key{.ns = "", .name = std::move(each)});
  }
}

Result<Again> ServiceCidrController::sync(const Key& key) const {
  const Lookup<ServiceCidr> object = ranges_.get(key);
  if (!object) return Again::when_changed();
  if (object->is_being_deleted()) return let_go(*object);
  if (!object->has_finalizer(kFinalizer)) {
    if (Status s = set_finalizer(*object, kAddFinalizer); !s.ok()) return s;
  }
  if (Status s = set_condition(*object, kIsReady); !s.ok()) {
    cluster_.events().warning(*object, "KubernetesServiceCIDRError",
                              "The ServiceCIDR Status can not be set to Ready=True");
    return s;
  }
  return Again::when_changed();
}

Result<Again> ServiceCidrController::let_go(const ServiceCidr& object) const {
  if (!is_deletable(object)) {
    if (Status s = set_condition(object, kIsTerminating); !s.ok()) return s;
    return Again::when_changed();
  }
  if (!object.has_finalizer(kFinalizer)) return Again::when_changed();
  const WallTime now = cluster_.wall_now();
  const Duration rest = object.deletion_time().value_or(now) + kGrace - now;
  // A clock that was set back must not make the wait as long as the jump.
  if (rest > Duration::zero()) return Again::after(std::min<Duration>(rest, kGrace));
  const std::optional<Duration> wait = wait_for_caches(cluster_.now() + rest);
  if (wait && !mutant("verified-addresses")) return Again::after(*wait);
  // The comparison may have changed the caches after the judgement.
  if (!is_deletable(object)) return Again::after(kVerifyPause);
  if (Status s = set_finalizer(object, kRemoveFinalizer); !s.ok()) return s;
  return Again::when_changed();
}

bool ServiceCidrController::is_deletable(const ServiceCidr& object) const {
  const Ranges ranges(ranges_.list());
  const Range mine(object);
  if (ranges.has_parents(mine)) return true;
  return std::ranges::none_of(mine.prefixes, [&](const ip::Prefix& prefix) {
    const List<IpAddress> family =
        addresses_.by_label("", kFamilyLabel, ip::family_name(prefix.family()));
    return std::any_of(family.begin(), family.end(), [&](const IpAddress& each) {
      if (!each.is_allocated()) return false;
      const std::optional<ip::Address> address = ip::Address::parse(each.name());
      return address && ranges.keeps_alone(mine, *address);
    });
  });
}

std::optional<Duration> ServiceCidrController::wait_for_caches(Time since) const {
  const bool ranges = ranges_.freshness().verified >= since;
  const bool addresses = addresses_.freshness().verified >= since;
  if (!ranges) ranges_.verify();
  if (!addresses) addresses_.verify();
  return ranges && addresses ? std::nullopt : std::optional<Duration>(kVerifyPause);
}

Status ServiceCidrController::set_finalizer(const ServiceCidr& object,
                                            std::string_view directive) const {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  if (!mutant("range-of-a-name")) out.member("uid", object.uid());
  out.key(directive).begin_array().string(kFinalizer).end_array().end_object().end_object();
  return cluster_.client()
      .patch<ServiceCidr>(object.key(), PatchType::kStrategic, std::move(out).text(),
                          {.answer = Answer::kMetadata})
      .error()
      .unless(Code::kNotFound);
}

Status ServiceCidrController::set_condition(const ServiceCidr& object,
                                            const ReadyCondition& wanted) const {
  std::string body = condition_body(object, wanted, cluster_.wall_now());
  if (body.empty()) return {};
  return cluster_.client()
      .patch<ServiceCidr>(object.key(), PatchType::kApply, std::move(body),
                          {.subresource = "status",
                           .answer = Answer::kMetadata,
                           .field_manager = kManager,
                           .force = true})
      .error()
      .unless(Code::kNotFound);
}

}  // namespace davit::servicecidr

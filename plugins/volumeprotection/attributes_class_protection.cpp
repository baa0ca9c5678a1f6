#include "plugins/volumeprotection/attributes_class_protection.hpp"

#include <algorithm>
#include <davit/options.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "plugins/volumeprotection/finalizers.hpp"

namespace davit::volumeprotection {
namespace {

using ClassNames = std::vector<std::string_view>;

constexpr std::string_view kBySpec = "spec";
constexpr std::string_view kByStatus = "status";
constexpr std::string_view kByTarget = "target";

ClassNames without_empty(ClassNames names) {
  std::erase(names, "");
  return names;
}

ClassNames class_names(const volumes::Claim& claim) {
  return without_empty(
      {claim.spec()["volumeAttributesClassName"].string(),
       claim.status()["currentVolumeAttributesClassName"].string(),
       claim.status()["modifyVolumeStatus"]["targetVolumeAttributesClassName"].string()});
}

ClassNames class_names(const volumes::Volume& volume) {
  return without_empty({volume.spec()["volumeAttributesClassName"].string()});
}

/// Adds the classes that an object releases when it changes or is deleted.
template <typename View>
Handlers<View> released_to(const Queue& queue) {
  const auto add = [queue](const ClassNames& before, const ClassNames& after) {
    for (const std::string_view each : before) {
      if (std::ranges::find(after, each) == after.end()) queue.add(Key::parse(each));
    }
  };
  return {.updated = [add](const View& old,
                           const View& current) { add(class_names(old), class_names(current)); },
          .deleted = [add](const View& object) { add(class_names(object), {}); }};
}

}  // namespace

InitResult AttributesClassProtection::open(Context& cluster) {
  if (Status s = check_options(cluster.config(), {}); !s.ok()) return s;
  const Status served = cluster.client().resource_exists(volumes::AttributesClass::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<AttributesClassProtection>(cluster);
}

AttributesClassProtection::AttributesClassProtection(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "vacprotection"},
                                [this](const Key& key) { return sync(key); })),
      classes_(cluster.open_informer<volumes::AttributesClass>(
          {.added = [this](const volumes::AttributesClass& object) { add_if_due(object); },
           .updated = [this](const volumes::AttributesClass&,
                             const volumes::AttributesClass& object) { add_if_due(object); }})),
      claims_(cluster.open_informer<volumes::Claim>(released_to<volumes::Claim>(queue_))),
      volumes_(cluster.open_informer<volumes::Volume>(released_to<volumes::Volume>(queue_))) {
  cluster.add_index(claims_, kBySpec, "spec.volumeAttributesClassName");
  cluster.add_index(claims_, kByStatus, "status.currentVolumeAttributesClassName");
  cluster.add_index(claims_, kByTarget,
                    "status.modifyVolumeStatus.targetVolumeAttributesClassName");
  cluster.add_index(volumes_, kBySpec, "spec.volumeAttributesClassName");
}

void AttributesClassProtection::add_if_due(const volumes::AttributesClass& object) const {
  if (needs(object, kClassFinalizer) || is_held(object, kClassFinalizer)) queue_.add(object);
}

bool AttributesClassProtection::is_used(std::string_view name) const {
  // A list of a cache that cannot be read throws: an error never counts as unused.
  return !claims_.by_index(kBySpec, name).empty() || !claims_.by_index(kByStatus, name).empty() ||
         !claims_.by_index(kByTarget, name).empty() || !volumes_.by_index(kBySpec, name).empty();
}

Result<Again> AttributesClassProtection::sync(const Key& key) const {
  const Lookup<volumes::AttributesClass> found = classes_.get(key);
  if (!found) return Again::when_changed();
  return write_finalizer(cluster_.client(), *found, kClassFinalizer,
                         [this, &found] { return is_used(found->name()); });
}

}  // namespace davit::volumeprotection

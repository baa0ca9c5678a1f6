#include "plugins/volumebinder/volume_expander.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/typed.hpp>
#include <string>
#include <utility>

#include "plugins/shared/volumes/migrated_plugins.hpp"
#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/send.hpp"

namespace davit::volumebinder {
namespace {

constexpr std::string_view kResizer = "volume.kubernetes.io/storage-resizer";

Quantity capacity_of_claim(const volumes::Claim& claim) {
  return typed::quantity(claim.status()["capacity"]["storage"]).value_or(Quantity());
}

bool grows(const volumes::Claim& old, const volumes::Claim& claim) {
  return volumes::request_of(claim) > volumes::request_of(old) ||
         capacity_of_claim(claim) > capacity_of_claim(old);
}

std::string resizer_patch(const volumes::Claim& claim, std::string_view driver) {
  if (claim.annotation(kResizer) == driver) return {};
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", claim.uid());
  out.member("resourceVersion", claim.resource_version());
  out.key("annotations").begin_object().member(kResizer, driver).end_object();
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace

VolumeExpander::VolumeExpander(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "volume_expand"},
                                [this](const Key& key) { return sync(key); })),
      claims_(cluster.open_informer<volumes::Claim>(
          {.added =
               [this](const volumes::Claim& claim) {
                 if (claim.phase() == kBound) queue_.add(claim);
               },
           .updated =
               [this](const volumes::Claim& old, const volumes::Claim& claim) {
                 if (claim.phase() == kBound && grows(old, claim)) queue_.add(claim);
               }})) {}

Result<Again> VolumeExpander::sync(const Key& key) const {
  const Lookup<volumes::Claim> claim = claims_.get(key);
  if (!claim) return Again::when_changed();
  const std::string name(claim->volume_name());
  // Its binding is gone, as after a restored backup; the next one may bring the same wish to grow.
  if (name.empty()) return Status(Code::kInvalid, "PVC " + claim->key().text() + " has no volume");
  const Result<volumes::Volume> volume = cluster_.client().get<volumes::Volume>({"", name});
  if (!volume) return volume.error().with_context("failed to get PV \"" + name + '"');
  const Value owner = volume->claim_ref();
  if (owner[&Names::ns].string() != claim->ns() || owner[&Names::uid].string() != claim->uid()) {
    return Status(Code::kInvalid,
                  "persistent Volume is not bound to PVC being updated: " + claim->key().text());
  }
  const bool is_resizing = volume->annotation(kPreResizeCapacity).has_value();
  if (volumes::request_of(*claim) <= capacity_of_claim(*claim) && !is_resizing) {
    return Again::when_changed();
  }
  if (const auto* plugin = volumes::migrated_source(volume->spec())) {
    cluster_.events().normal(*claim, "ExternalExpanding",
                             "CSI migration enabled for " + std::string(plugin->name) +
                                 "; waiting for external resizer to expand the pvc");
    return done(send(cluster_.client(), *claim, resizer_patch(*claim, plugin->driver), kStatus));
  }
  cluster_.events().normal(*claim, "ExternalExpanding",
                           "waiting for an external controller to expand this PVC");
  return Again::when_changed();
}

}  // namespace davit::volumebinder

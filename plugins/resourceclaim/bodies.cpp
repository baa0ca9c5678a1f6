#include "plugins/resourceclaim/bodies.hpp"

#include <cstddef>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::resourceclaim {
namespace {

constexpr std::size_t kBaseMax = 57;  // 63 bytes without a dash and five random letters.

/// Opens metadata with what the patch is refused without.
JsonWriter& begin_metadata(JsonWriter& out, const ObjectView& object) {
  out.begin_object().key("metadata").begin_object().member("uid", object.uid());
  return out.member("resourceVersion", object.resource_version());
}

void write_annotations(JsonWriter& out, Value of_template, std::string_view entry) {
  out.key("annotations").begin_object();
  for (const Member& each : of_template.members()) {
    if (each.key != kPodClaimName) out.member(each.key, each.value);
  }
  out.member(kPodClaimName, entry).end_object();
}

}  // namespace

std::string generate_name(std::string_view consumer, std::string_view entry) {
  std::string whole = std::string(consumer) + "-" + std::string(entry) + "-";
  if (whole.size() <= kBaseMax) return whole;
  const auto share = [&whole](std::string_view part) {
    return std::string(part.substr(0, part.size() * kBaseMax / whole.size()));
  };
  return share(consumer) + "-" + share(entry);
}

std::string claim_body(const Consumer& consumer, std::string_view entry, const Template& from) {
  const Value metadata = from.spec()[&Names::metadata];
  JsonWriter out;
  out.begin_object().member("apiVersion", Claim::kResource.api_version());
  out.member("kind", Claim::kResource.kind).key("metadata").begin_object();
  out.member("generateName", generate_name(consumer.object.name(), entry));
  out.member("labels", metadata[&Names::labels]);
  write_annotations(out, metadata[&Names::annotations], entry);
  out.key("ownerReferences").begin_array().begin_object();
  out.member("apiVersion", consumer.resource.api_version()).member("kind", consumer.resource.kind);
  out.member("name", consumer.object.name()).member("uid", consumer.object.uid());
  out.member("controller", true).end_object().end_array().end_object();
  out.member("spec", from.spec()[&Names::spec]).end_object();
  return std::move(out).text();
}

std::string statuses_body(const Consumer& consumer, const MadeClaims& made) {
  MadeClaims all = made;
  if (!mutant("status-of-other-claims")) {
    for (const Value each : consumer.statuses().elements()) {
      const std::string_view claim = each["resourceClaimName"].string();
      if (!claim.empty()) all.emplace(each[&Names::name].string(), claim);
    }
  }
  JsonWriter out;
  out.begin_object().member("apiVersion", consumer.resource.api_version());
  out.member("kind", consumer.resource.kind).key("metadata").begin_object();
  out.member("name", consumer.object.name()).member("namespace", consumer.object.ns());
  if (!mutant("status-of-a-namesake")) out.member("uid", consumer.object.uid());
  out.end_object().key("status").begin_object().key("resourceClaimStatuses").begin_array();
  for (const auto& [entry, claim] : all) {
    out.begin_object().member("name", entry).member("resourceClaimName", claim).end_object();
  }
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

std::string reserve_patch(const Claim& claim, const NewConsumer& added) {
  JsonWriter out;
  begin_metadata(out, claim).end_object().key("status").begin_object();
  out.key("reservedFor").begin_array();
  for (const Value each : claim.reserved_for().elements()) out.value(each);
  out.begin_object();
  if (!added.api_group.empty()) out.member("apiGroup", added.api_group);
  out.member("resource", added.resource).member("name", added.name).member("uid", added.uid);
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

std::string release_patch(const Claim& claim, const std::vector<Value>& kept,
                          Allocation allocation) {
  JsonWriter out;
  begin_metadata(out, claim).end_object().key("status").begin_object().key("reservedFor");
  if (kept.empty()) {
    out.null();
  } else {
    out.begin_array();
    for (const Value& each : kept) out.value(each);
    out.end_array();
  }
  if (allocation == Allocation::kGoes) out.key("allocation").null();
  out.end_object().end_object();
  return std::move(out).text();
}

std::string finalizer_patch(const ObjectView& object, std::string_view finalizer) {
  JsonWriter out;
  begin_metadata(out, object).key("finalizers");
  bool is_any_left = false;
  for (const Value each : object.metadata()[&Names::finalizers].elements()) {
    if (each.string() == finalizer) continue;
    if (!is_any_left) out.begin_array();
    is_any_left = true;
    out.value(each);
  }
  if (is_any_left) {
    out.end_array();
  } else {
    out.null();
  }
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::resourceclaim

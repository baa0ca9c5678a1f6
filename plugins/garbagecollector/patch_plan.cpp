#include "plugins/garbagecollector/patch_plan.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>

namespace davit::garbage {
namespace {

/// {"metadata":{<name>:<value>,…}}, of which `write` adds what comes after the first member.
template <typename Write>
std::string metadata_patch(std::string_view name, std::string_view value, const Write& write) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member(name, value);
  write(out);
  out.end_object().end_object();
  return std::move(out).text();
}

void write_reference(JsonWriter& out, const Reference& reference) {
  out.begin_object().member("apiVersion", reference.api_version).member("kind", reference.kind);
  out.member("name", reference.name).member("uid", reference.uid);
  if (reference.controller) out.member("controller", *reference.controller);
  if (reference.blocks) out.member("blockOwnerDeletion", *reference.blocks);
  out.end_object();
}

/// null in place of an empty list: a merge patch then removes the member.
void write_references(JsonWriter& out, const std::vector<Reference>& references) {
  out.key("ownerReferences");
  if (references.empty()) {
    out.null();
    return;
  }
  out.begin_array();
  for (const Reference& each : references) write_reference(out, each);
  out.end_array();
}

}  // namespace

std::string drop_owners_patch(std::string_view uid, const std::vector<std::string>& owners) {
  return metadata_patch("uid", uid, [&owners](JsonWriter& out) {
    out.key("ownerReferences").begin_array();
    for (const std::string& each : owners) {
      out.begin_object().member("$patch", "delete").member("uid", each).end_object();
    }
    out.end_array();
  });
}

std::string drop_owners_merge(const LiveObject& live, const std::vector<std::string>& owners) {
  std::vector<Reference> others;
  for (const Reference& each : live.owners) {
    const bool goes = std::find(owners.begin(), owners.end(), each.uid) != owners.end();
    if (!goes) others.push_back(each);
  }
  return metadata_patch("resourceVersion", live.resource_version,
                        [&others](JsonWriter& out) { write_references(out, others); });
}

std::string unblock_patch(const LiveObject& live) {
  std::vector<Reference> changed;
  for (Reference each : live.owners) {
    if (!each.is_blocking()) continue;
    each.blocks = false;
    changed.push_back(std::move(each));
  }
  return metadata_patch("uid", live.uid, [&](JsonWriter& out) {
    if (changed.empty()) return;
    if (!mutant("unblock-version")) out.member("resourceVersion", live.resource_version);
    write_references(out, changed);
  });
}

std::string unblock_merge(const LiveObject& live) {
  std::vector<Reference> changed = live.owners;
  for (Reference& each : changed) each.blocks = false;
  return metadata_patch("resourceVersion", live.resource_version,
                        [&changed](JsonWriter& out) { write_references(out, changed); });
}

std::string drop_finalizer_merge(const LiveObject& live, std::string_view finalizer) {
  std::vector<std::string> others = live.finalizers;
  std::erase(others, finalizer);
  return metadata_patch("resourceVersion", live.resource_version, [&others](JsonWriter& out) {
    out.key("finalizers");
    if (others.empty()) {
      out.null();
      return;
    }
    out.begin_array();
    for (const std::string& each : others) out.string(each);
    out.end_array();
  });
}

}  // namespace davit::garbage

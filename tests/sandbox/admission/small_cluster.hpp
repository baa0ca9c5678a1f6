/// A few objects that admission may look at.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

/// Not thread-safe.
class SmallCluster final : public ObjectLookup {
 public:
  SmallCluster() { add("", "namespaces", R"({"metadata":{"name":"n"}})"); }

  void add(std::string_view group, std::string_view plural, std::string_view text) {
    const Json object = json_literal(text);
    Version version;
    version.ns = object.text_at({"metadata", "namespace"});
    version.name = object.text_at({"metadata", "name"});
    version.text = to_text(object);
    Objects& objects = collections_[{std::string(group), std::string(plural)}];
    objects[{version.ns, version.name}] = std::make_shared<const Version>(version);
  }

  [[nodiscard]] VersionPtr get(const Collection& collection, std::string_view ns,
                               std::string_view name) const override {
    for (const VersionPtr& each : list(collection, ns)) {
      if (each->name == name) return each;
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<VersionPtr> list(const Collection& collection,
                                             std::string_view ns) const override {
    std::vector<VersionPtr> out;
    const auto found = collections_.find(collection);
    if (found == collections_.end()) return out;
    for (const auto& [key, version] : found->second) {
      if (ns.empty() || version->ns == ns) out.push_back(version);
    }
    return out;
  }

 private:
  using Objects = std::map<std::pair<std::string, std::string>, VersionPtr>;
  std::map<Collection, Objects> collections_;
};

inline ResourcePtr find_plural(std::string_view group, std::string_view plural) {
  for (const ResourcePtr& each : builtin_resources()) {
    if (each->group == group && each->name == plural) return each;
  }
  return nullptr;
}

/// Admission over a SmallCluster, with one random seed.
struct AdmissionSetup {
  explicit AdmissionSetup(AdmissionOptions options = {})
      : random(make_seeded_random(7)),
        admission(std::move(make_admission(std::move(options), cluster, *random).value())) {}

  /// Admits the creation of an object in namespace "n"; "" or the refusal.
  std::string admit(std::string_view group, std::string_view plural, Json& object,
                    std::string_view subresource = "") {
    const ResourcePtr resource = find_plural(group, plural);
    const WriteRequest request{*resource, WriteVerb::kCreate, resource->namespaced ? "n" : "",
                               "",        subresource,        nullptr};
    const ApiFailure failure = admission->admit(request, object);
    return failure ? failure->message : "";
  }

  /// The same for reserve(), also for updates; what is reserved stays so.
  std::string reserve(std::string_view group, std::string_view plural, Json& object,
                      const Json* old = nullptr) {
    const ResourcePtr resource = find_plural(group, plural);
    const WriteVerb verb = old == nullptr ? WriteVerb::kCreate : WriteVerb::kUpdate;
    Reserved reserved = admission->reserve({*resource, verb, "n", "", "", old}, object);
    if (reserved.refusal) return reserved.refusal->message;
    if (reserved.reservation) reserved.reservation->commit();
    return "";
  }

  SmallCluster cluster;
  std::unique_ptr<Random> random;
  std::unique_ptr<Admission> admission;
};

}  // namespace davit::sandbox

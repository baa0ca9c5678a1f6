// k8s: plugin/pkg/admission/storage/storageclass/setdefault.
#include <utility>

#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDefaultMark = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kBetaDefaultMark = "storageclass.beta.kubernetes.io/is-default-class";
constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";

/// The newest of several default classes wins, and then the one whose name comes first.
bool comes_before(const Json& a, const Json& b) {
  const std::string& created = a.text_at({"metadata", "creationTimestamp"});
  const std::string& other = b.text_at({"metadata", "creationTimestamp"});
  if (created != other) return created > other;
  return a.text_at({"metadata", "name"}) < b.text_at({"metadata", "name"});
}

}  // namespace

void set_default_storage_class(Json& claim, const ObjectLookup& objects) {
  if (claim.at({"spec", "storageClassName"}) != nullptr) return;
  if (claim.at({"metadata", "annotations", kBetaClass}) != nullptr) return;
  Json chosen;
  for (const VersionPtr& each : objects.list({"storage.k8s.io", "storageclasses"}, "")) {
    Json found = each->json();
    const Json& marks = found.get("metadata").get("annotations");
    if (marks.get(kDefaultMark).text() != "true" && marks.get(kBetaDefaultMark).text() != "true") {
      continue;
    }
    if (chosen.is_null() || comes_before(found, chosen)) chosen = std::move(found);
  }
  if (!chosen.is_null()) {
    claim["spec"].set("storageClassName", chosen.get("metadata").get("name"));
  }
}

}  // namespace davit::sandbox

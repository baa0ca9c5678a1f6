// k8s: plugin/pkg/admission/storage/storageclass/setdefault and storage/persistentvolume/resize.
#include <davit/kube/quantity.hpp>
#include <string>
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

const std::string& class_of(const Json& claim) {
  const Json* const beta = claim.at({"metadata", "annotations", kBetaClass});
  return beta == nullptr ? claim.text_at({"spec", "storageClassName"}) : beta->text();
}

Quantity size_of(const Json& claim) {
  const Json* const size = claim.at({"spec", "resources", "requests", "storage"});
  return size == nullptr ? Quantity() : Quantity::parse(size->text()).value_or(Quantity());
}

/// Whether both states of a claim are of one class that allows expansion.
bool may_grow(const Json& claim, const Json& old, const ObjectLookup& objects) {
  const std::string& name = class_of(claim);
  if (name.empty() || class_of(old) != name) return false;
  const VersionPtr found = objects.get({"storage.k8s.io", "storageclasses"}, "", name);
  return found != nullptr && found->json().get("allowVolumeExpansion").boolean();
}

}  // namespace

ApiFailure check_growth(const WriteRequest& request, const Json& claim,
                        const ObjectLookup& objects) {
  const Json& old = *request.old;
  if (size_of(claim) <= size_of(old)) return std::nullopt;
  if (old.text_at({"status", "phase"}) != "Bound") {
    return refuse(request, claim, "Only bound persistent volume claims can be expanded");
  }
  if (may_grow(claim, old, objects)) return std::nullopt;
  return refuse(request, claim,
                "only dynamically provisioned pvc can be resized and the storageclass that "
                "provisions the pvc must support resize");
}

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

#include "plugins/statefulset/claim_plan.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/owner_reference.hpp>
#include <davit/kube/pod.hpp>
#include <optional>

#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {
namespace {

constexpr std::string_view kDelete = "Delete";

template <typename View>
OwnerIdentity identity_of(const Identity& of) {
  return {View::kResource.api_version(), View::kResource.kind, of.name, of.uid};
}

/// Whether the reference names the object, whatever its UID.
bool names(const OwnerReference& reference, const OwnerIdentity& object) {
  return reference.api_version() == object.api_version && reference.kind() == object.kind &&
         reference.name() == object.name;
}

/// The references of a claim in relation to its set and pod.
class References {
 public:
  References(Value references, const ClaimOwners& owners)
      : references_(references),
        set_(identity_of<StatefulSet>(owners.set)),
        pod_(identity_of<Pod>(owners.pod)) {}

  /// The first reference to the set, or to the pod, has another UID: an earlier object of the name.
  [[nodiscard]] bool are_of_an_earlier_object() const {
    return is_first_foreign(set_) || is_first_foreign(pod_);
  }
  [[nodiscard]] bool have_other_controller() const {
    for (const Value each : references_.elements()) {
      const OwnerReference reference(each);
      if (names(reference, set_)) {
        if (reference.uid() != set_.uid) return true;
      } else if (names(reference, pod_)) {
        if (reference.uid() != pod_.uid) return true;
      } else if (reference.is_controller()) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool have(std::string_view uid) const {
    for (const Value each : references_.elements()) {
      if (!uid.empty() && OwnerReference(each).uid() == uid) return true;
    }
    return false;
  }
  [[nodiscard]] bool have_set() const { return have(set_.uid); }
  [[nodiscard]] bool have_pod() const { return have(pod_.uid); }
  /// A reference to the set or the pod is not a controller's.
  [[nodiscard]] bool lack_controller() const {
    for (const Value each : references_.elements()) {
      const OwnerReference reference(each);
      const bool is_ours =
          reference.uid() == set_.uid || (!pod_.uid.empty() && reference.uid() == pod_.uid);
      if (is_ours && !reference.is_controller()) return true;
    }
    return false;
  }
  /// Copies those of others.
  void write_others(JsonWriter& out) const {
    for (const Value each : references_.elements()) {
      const OwnerReference reference(each);
      if (!names(reference, set_) && !names(reference, pod_)) out.value(each);
    }
  }
  void write_set(JsonWriter& out) const { set_.write_controller_reference(out); }
  void write_pod(JsonWriter& out) const { pod_.write_controller_reference(out); }

 private:
  [[nodiscard]] bool is_first_foreign(const OwnerIdentity& object) const {
    for (const Value each : references_.elements()) {
      const OwnerReference reference(each);
      if (names(reference, object)) return reference.uid() != object.uid;
    }
    return false;
  }

  Value references_;
  OwnerIdentity set_;
  OwnerIdentity pod_;
};

struct Wanted {
  bool set = false;
  bool pod = false;
};

/// Deleting the set deletes the claims of its pods; those outside the range go with their pod if
/// scaling deletes claims.
Wanted wanted(const Retention& policy, const ClaimOwners& owners) {
  const bool goes_with_pod = policy.deletes_when_scaled && !owners.pod_is_in_range;
  return {.set = policy.deletes_with_set && !goes_with_pod, .pod = goes_with_pod};
}

}  // namespace

Retention read_retention(Value policy) {
  return {.deletes_with_set = policy["whenDeleted"].string() == kDelete,
          .deletes_when_scaled = policy["whenScaled"].string() == kDelete};
}

bool has_other_controller(Value owner_references, const Retention& policy,
                          const ClaimOwners& owners) {
  return !policy.retains_all() && References(owner_references, owners).have_other_controller();
}

bool are_up_to_date(Value owner_references, const Retention& policy, const ClaimOwners& owners) {
  const References references(owner_references, owners);
  if (references.are_of_an_earlier_object()) return true;
  if (has_other_controller(owner_references, policy, owners)) {
    return !references.have_set() && !references.have_pod();
  }
  if (references.lack_controller()) return false;
  const Wanted want = wanted(policy, owners);
  return references.have_set() == want.set && references.have_pod() == want.pod;
}

std::string wanted_references(Value owner_references, const Retention& policy,
                              const ClaimOwners& owners) {
  const References references(owner_references, owners);
  Wanted want = wanted(policy, owners);
  if (has_other_controller(owner_references, policy, owners)) want = {};
  JsonWriter out;
  out.begin_array();
  references.write_others(out);
  if (want.set) references.write_set(out);
  if (want.pod) references.write_pod(out);
  out.end_array();
  return std::move(out).text();
}

bool is_stale_claim(Value owner_references, const Retention& policy, std::string_view pod) {
  if (!policy.deletes_when_scaled) return false;
  const OwnerIdentity any_pod = identity_of<Pod>({.name = pod});
  for (const Value each : owner_references.elements()) {
    if (names(OwnerReference(each), any_pod)) return true;
  }
  return false;
}

}  // namespace davit::statefulset

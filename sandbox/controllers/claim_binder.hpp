/// Binds PersistentVolumeClaims to volumes that exist in name only.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>

#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

/// Binds each claim to a new volume "pvc-<uid>" of the requested size, with any StorageClass.
/// Ignores claims that select a volume by name, by a selector or by the class "". A deleted claim
/// is removed, with its volume, once no pod uses it.
class ClaimBinder final : public Controller {
 public:
  explicit ClaimBinder(const ControllerParts& parts)
      : parts_(parts), writer_(parts_.server, parts_.clock, "persistentvolume-binder") {}

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  struct Place {
    std::string ns;
    std::string name;
    auto operator<=>(const Place&) const = default;
  };
  /// False: try again later.
  bool serve(const Place& claim);
  bool bind(const Version& claim);
  /// The volume, Bound, for a claim whose content is `object`.
  bool provide_volume(const Version& claim, const Json& object);
  /// Takes the finalizer off that protects a claim in use, unless a pod uses it.
  bool release(const Version& claim);
  /// Only a volume that was made here.
  bool remove_volume(const std::string& name);
  [[nodiscard]] bool is_used(const Place& claim) const;

  const ControllerParts parts_;
  ApiWriter writer_;
  std::set<Place> queue_;
  std::set<Place> deleting_;        ///< Claims that pods may still use.
  std::set<std::string> orphaned_;  ///< Volumes whose claim is gone.
  std::map<Place, Time> retries_;
};

}  // namespace davit::sandbox

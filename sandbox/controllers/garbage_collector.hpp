/// Deletes objects without remaining owners, and does the work that foreground and orphan deletion
/// wait for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/controllers/controller.hpp"
#include "sandbox/controllers/garbage_plan.hpp"

namespace davit::sandbox {

/// Derives ownership from the objects that it observes; it looks up whether an owner exists when it
/// decides, so that it never acts on what it missed.
class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(ControllerParts parts)
      : parts_(std::move(parts)), writer_(parts_.server, parts_.clock, "garbage-collector") {}

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  using Uid = std::string;
  /// An object that has owners, or is deleted with dependents in mind.
  struct Node {
    Collection collection;
    std::string ns;
    std::string name;
    ObjectMeta meta;
  };

  void forget(const Uid& uid);
  void queue_dependents(const Uid& uid);
  void queue_owners(const Node& node);
  [[nodiscard]] ResourcePtr resource_of(const Node& node) const;
  [[nodiscard]] OwnerState state_of(const OwnerReference& owner, const Version& dependent) const;
  [[nodiscard]] DependentsState dependents_of(const Uid& uid) const;

  /// False: try again later.
  bool handle(const Uid& uid);
  bool carry_out(const GarbagePlan& plan, const Resource& resource, const Version& version);
  bool free_dependents(const Version& owner);
  bool write_owners(const std::string& path, const Version& version,
                    const std::vector<OwnerReference>& owners);

  const ControllerParts parts_;
  ApiWriter writer_;
  std::shared_ptr<const ResourceSet> resources_;
  std::map<Uid, Node> nodes_;
  std::map<Uid, std::set<Uid>> dependents_;  // Owner to dependents.
  /// Owners whose deletion was seen: their kind may no longer be served when a dependent is looked
  /// at (k8s: absentOwnerCache).
  std::set<Uid> gone_;
  std::set<Uid> queue_;
  std::set<Uid> unknown_;  // One of their owners is of a kind that is not served.
  std::map<Uid, Time> retries_;
};

}  // namespace davit::sandbox

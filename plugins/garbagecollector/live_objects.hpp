/// Reads and writes of objects of any kind, metadata only.
#pragma once

#include <davit/client.hpp>
#include <davit/discovery.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/garbagecollector/identity.hpp"
#include "plugins/garbagecollector/resource_plan.hpp"

namespace davit::garbage {

/// The path at which the server keeps an object.
struct Location {
  ResourceId id;
  std::string ns;  ///< Empty: cluster-scoped.
  std::string name;
};

/// A change of an object's references.
struct OwnersPatch {
  Location location;
  std::string uid;
  std::string strategic;
  /// The same for a custom resource.
  std::function<std::string(const LiveObject&)> merge;
};

/// Only for syncs. kNotFound: there is no such object (any more), as the server said in response to
/// a get or delete.
class LiveObjects {
 public:
  LiveObjects(const Client& client, const Discovery& discovery)
      : client_(client), discovery_(discovery) {}

  /// kConflict: the server does not serve the kind in this version, or it is not known whether it
  /// does. That may change, and is not reported until then. kWrongType: objects of the kind have a
  /// namespace, and `object` has none.
  [[nodiscard]] Result<Location> location_of(const Identity& object) const;
  [[nodiscard]] Result<LiveObject> get(const Location& location) const;

  /// Deletes the object that was read as `read`; not if its owners have changed since (kConflict).
  [[nodiscard]] Status remove(const Location& location, const LiveObject& read,
                              Propagation policy) const;
  /// A status for each patch.
  [[nodiscard]] std::vector<Status> patch(const std::vector<OwnersPatch>& patches) const;
  /// Also succeeds if the object is gone or lacks it.
  [[nodiscard]] Status drop_finalizer(const Location& location, std::string_view uid,
                                      std::string_view finalizer) const;

 private:
  [[nodiscard]] Result<ServedResource> find_kind(std::string_view api_version,
                                                 std::string_view kind) const;
  /// Asks for an object that was not found for its patch. kUnavailable: it is there.
  [[nodiscard]] Status confirm_absence(const OwnersPatch& patch) const;
  /// Adds a status for each.
  void patch_some(std::span<const OwnersPatch> patches, std::vector<Status>& statuses) const;
  /// The merge patches of those whose strategic ones the server does not support. `statuses` are
  /// those of `patches`.
  void patch_by_merge(std::span<const OwnersPatch> patches,
                      const std::vector<std::size_t>& unsupported,
                      std::span<Status> statuses) const;

  const Client client_;
  const Discovery discovery_;
};

}  // namespace davit::garbage

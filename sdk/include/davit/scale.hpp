/// Scale: the number of replicas of an object of any kind that has one.
#pragma once

#include <cstdint>
#include <davit/client.hpp>
#include <davit/discovery.hpp>
#include <string>
#include <vector>

namespace davit {

/// An object that something refers to by its kind, as scaleTargetRef of an autoscaler does.
struct ScaleTarget {
  std::string api_version;  ///< "apps/v1". Only its group counts, as upstream.
  std::string kind;
  Key key;  ///< The namespace is that of the referring object.
};

/// The Scale of an object, copied.
struct Scale {
  ScaleTarget target;
  std::string resource;  ///< Plural, of the target.
  std::string uid;       ///< The target's.
  std::string resource_version;
  std::int32_t replicas = 0;          ///< The desired number.
  std::int32_t current_replicas = 0;  ///< Those that the target's status counts.
  std::string selector;               ///< Selects its pods, in text form; may be empty.
  /// metadata.creationTimestamp of the target.
  std::string created{};
};

/// Finds the resource of a kind through discovery, and reads and writes its subresource "scale". In
/// syncs and timers only. If the catalog lacks a kind, the server is queried once more. The path
/// has the preferred version of the resource, regardless of the version that the target names
/// (k8s.io/client-go/scale). The note needs "davit.discovery/1" and a rule for the subresource:
///
///     {"group":"*","resource":"*","subresource":"scale","verbs":["get","update"]}
class Scales {
 public:
  Scales(const Client& client, const Discovery& discovery)
      : client_(client), discovery_(discovery) {}

  /// kInvalid: apiVersion is none. kNotFound: there is no such kind or object. kUnsupported: the
  /// kind cannot be scaled. kUnavailable: the server could not say what it serves. Messages are the
  /// server's, or upstream's.
  [[nodiscard]] Result<Scale> get(const ScaleTarget& target) const;

  /// Asks for another number of replicas, if `present` is still the present state (kConflict).
  /// Returns the new state.
  [[nodiscard]] Result<Scale> set(const Scale& present, std::int32_t replicas) const;

 private:
  /// The resources that keep objects of this kind, each in its preferred version.
  [[nodiscard]] Result<std::vector<ServedResource>> resources_of(const ScaleTarget& target) const;

  const Client client_;
  const Discovery discovery_;
};

}  // namespace davit

/// Owners that are known not to exist. Pure.
#pragma once

#include <cstddef>
#include <list>
#include <map>

#include "plugins/garbagecollector/identity.hpp"

namespace davit::garbage {

/// Saves a request for each dependent of an owner that is gone. UIDs are never reused, so entries
/// stay until later ones replace them.
class AbsentOwners {
 public:
  /// Upstream's size.
  static constexpr std::size_t kMax = 500;

  void add(const Identity& owner);
  /// Whether the owner that `reference` names is absent: a cluster-scoped one, or one in `ns`.
  /// Counts as a use.
  [[nodiscard]] bool contains(const Reference& reference, std::string_view ns);

 private:
  [[nodiscard]] bool touch(const Identity& owner);

  std::list<Identity> order_;  // The last used one first.
  std::map<Identity, std::list<Identity>::iterator> places_;
};

}  // namespace davit::garbage

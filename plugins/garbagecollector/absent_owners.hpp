/// Owners that are known not to exist. Pure.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string_view>
#include <tuple>

#include "plugins/garbagecollector/identity.hpp"

namespace davit::garbage {

/// Saves a request for each dependent of an owner that is gone. A UID returns only where a backup
/// is restored, which forget() is for.
class AbsentOwners {
 public:
  /// Upstream's size.
  static constexpr std::size_t kMax = 500;

  void add(const Identity& owner);
  /// Whether the owner that `reference` names is absent: a cluster-scoped one, or one in `ns`.
  /// Counts as a use.
  [[nodiscard]] bool contains(const Reference& reference, std::string_view ns);
  /// An object with this UID was seen: the next reference to it is looked up again.
  void forget(std::string_view uid);

 private:
  /// Those of one UID stand together.
  struct UidFirst {
    using is_transparent = void;
    bool operator()(const Identity& a, const Identity& b) const {
      return std::tie(a.uid, a) < std::tie(b.uid, b);
    }
    bool operator()(const Identity& a, std::string_view uid) const { return a.uid < uid; }
    bool operator()(std::string_view uid, const Identity& b) const { return uid < b.uid; }
  };

  [[nodiscard]] bool touch(const Identity& owner);

  std::list<Identity> order_;  // The last used one first.
  std::map<Identity, std::list<Identity>::iterator, UidFirst> places_;
};

}  // namespace davit::garbage

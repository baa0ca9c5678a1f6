/// The claims of a set's pods: creation and owner references.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/informer.hpp>
#include <span>
#include <string>
#include <vector>

#include "plugins/statefulset/identity.hpp"
#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

/// A pod as far as its claims are concerned.
struct ClaimUser {
  std::string pod;
  std::string uid;  ///< Empty while it is not created.
  std::int64_t ordinal = 0;
};

/// Rules: docs/spec/statefulset.md, 13. Functions on several pods make their requests at once and
/// return one Status for each pod. Thread-safe.
class Claims {
 public:
  /// The arguments must outlive it.
  Claims(Context& cluster, Informer<PersistentVolumeClaim> cache)
      : cluster_(cluster), cache_(cache) {}

  /// Creates those that the cache lacks. One that is being deleted is an error.
  [[nodiscard]] std::vector<Status> create_missing(const StatefulSet& set,
                                                   std::span<const ClaimUser> users) const;

  /// Whether the owners of the cached claims are those that the retention policy requires.
  [[nodiscard]] bool have_right_owners(const StatefulSet& set, const ClaimUser& user) const;
  /// Sets the owners of the cached claims.
  [[nodiscard]] std::vector<Status> fix_owners(const StatefulSet& set,
                                               std::span<const ClaimUser> users) const;

  /// Whether one of the claims is about to be deleted with an earlier pod of the name.
  [[nodiscard]] bool are_stale(const StatefulSet& set, std::string_view pod) const;

 private:
  Context& cluster_;
  Informer<PersistentVolumeClaim> cache_;
};

/// The ordinals that the set asks for.
[[nodiscard]] OrdinalRange range_of(const StatefulSet& set);

}  // namespace davit::statefulset

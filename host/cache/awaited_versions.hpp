/// The versions that callers wait for, and their waiters.
#pragma once

#include <map>
#include <utility>

namespace davit::host {

/// Waiters by version, lowest first, so that an advancing cache does not visit waiters for versions
/// that it has not reached. Adding, removing and taking cost O(log n). Borrows the waiters. Not
/// thread-safe.
template <typename Version, typename Waiter>
class AwaitedVersions {
 public:
  using Places = std::multimap<Version, Waiter*>;
  using Place = typename Places::iterator;

  /// The place is valid until it is removed or taken.
  Place add(Version version, Waiter& waiter) {
    return places_.emplace(std::move(version), &waiter);
  }
  void remove(Place place) { places_.erase(place); }
  void clear() { places_.clear(); }

  /// Takes out a waiter for the lowest version unless that is above `reached`; null: none is left.
  [[nodiscard]] Waiter* take(const Version& reached) {
    const auto lowest = places_.begin();
    if (lowest == places_.end() || reached < lowest->first) return nullptr;
    Waiter* const waiter = lowest->second;
    places_.erase(lowest);
    return waiter;
  }

  /// All waiters, the lowest version first.
  [[nodiscard]] const Places& places() const { return places_; }

 private:
  Places places_;
};

}  // namespace davit::host

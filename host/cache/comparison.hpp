/// Whether a store holds what a server lists.
#pragma once

#include <cstddef>
#include <davit/mutant.hpp>
#include <optional>

#include "host/cache/store.hpp"

namespace davit::host {

/// Compares the objects of one complete list with those of a store by name, UID and version.
/// Objects that are equal so are equal as a whole. Not thread-safe; the store outlives it, and
/// must not change before is_same() has returned.
class Comparison {
 public:
  Comparison() = default;  ///< With nothing: no list is the same.
  explicit Comparison(const Store& store) : store_(&store) {}

  /// The number of objects that the store holds; nothing without a store.
  [[nodiscard]] std::optional<std::size_t> held() const {
    return store_ == nullptr ? std::nullopt : std::optional(store_->size());
  }
  /// The list has this object.
  void see(const ObjectIdentity& listed) {
    ++seen_;
    if (store_ != nullptr && !store_->holds(listed)) differs_ = true;
  }
  /// Whether the objects seen are those of the store, no more and no fewer.
  [[nodiscard]] bool is_same() const {
    if (store_ == nullptr) return false;
    // An object that the list lacks was deleted.
    const bool is_complete = seen_ == store_->size() || mutant("compared-deletion");
    return is_complete && (!differs_ || mutant("compared-version"));
  }

 private:
  const Store* store_ = nullptr;
  std::size_t seen_ = 0;
  bool differs_ = false;
};

}  // namespace davit::host

/// The order of a list that a strategic merge patch has merged (k8s: normalizeElementOrder).
#pragma once

#include <string>

#include "lib/kube/json.hpp"

namespace davit {

/// The identity of a list's elements: a member, or (empty key) the whole value.
class ElementIdentity {
 public:
  explicit ElementIdentity(std::string key) : key_(std::move(key)) {}

  [[nodiscard]] bool by_key() const { return !key_.empty(); }
  [[nodiscard]] const std::string& key() const { return key_; }
  /// The value that identifies `element`; null if it lacks the key.
  [[nodiscard]] const Json* of(const Json& element) const {
    return key_.empty() ? &element : element.find(key_);
  }

 private:
  std::string key_;
};

/// `merged` reordered: the elements that `wanted` names in its order, the others as in `stored`.
/// If both orders leave a choice, an element of `stored` comes first only if it preceded the other
/// one there; so new elements precede the remaining stored ones.
[[nodiscard]] Json::Items ordered(Json::Items merged, const Json::Items& wanted,
                                  const Json::Items& stored, const ElementIdentity& identity);

}  // namespace davit

/// MemberLookup: finds many members of one object, in linear time altogether.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "lib/kube/json.hpp"

namespace davit {

/// Looks up members, quickly if the look-ups are roughly in the members' order, as in a comparison
/// of two versions of an object. The object must not change during this.
class MemberLookup {
 public:
  explicit MemberLookup(const Json* object)
      : members_(object == nullptr ? std::span<const Json::Member>() : object->members()) {}

  [[nodiscard]] const Json* find(std::string_view key) {
    if (next_ < members_.size() && members_[next_].key == key) return &members_[next_++].value;
    const std::size_t place = place_of(key);
    if (place == members_.size()) return nullptr;
    next_ = place + 1;
    return &members_[place].value;
  }

 private:
  // Up to here looking at each member is cheaper than hashing them all.
  static constexpr std::size_t kScannedMax = 32;

  std::size_t place_of(std::string_view key) {
    if (members_.size() <= kScannedMax) {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (members_[i].key == key) return i;
      }
      return members_.size();
    }
    if (places_.empty()) {
      for (std::size_t i = 0; i < members_.size(); ++i) places_.emplace(members_[i].key, i);
    }
    const auto found = places_.find(key);
    return found == places_.end() ? members_.size() : found->second;
  }

  std::span<const Json::Member> members_;
  std::size_t next_ = 0;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace davit

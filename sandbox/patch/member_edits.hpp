/// MemberEdits: changes many members of one object, in linear time altogether.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sandbox/json/json.hpp"

namespace davit::sandbox {

/// The object must not be changed in other ways until finish(). Pointers to members stay valid.
class MemberEdits {
 public:
  /// `additions_max`: how many members may be added.
  MemberEdits(Json& object, std::size_t additions_max) : members_(object.make_object()) {
    members_.reserve(members_.size() + additions_max);
    if (members_.size() + additions_max <= kScannedMax) return;
    for (std::size_t i = 0; i < members_.size(); ++i) places_.emplace(members_[i].key, i);
    indexed_ = true;
  }

  /// Null when there is no such member.
  [[nodiscard]] Json* find(std::string_view key) {
    const std::size_t place = place_of(key);
    return place == members_.size() || erased(place) ? nullptr : &members_[place].value;
  }
  void set(const std::string& key, Json value) {
    const std::size_t place = place_of(key);
    if (place == members_.size()) {
      members_.push_back({key, std::move(value)});
      if (indexed_) places_.emplace(members_.back().key, place);
      return;
    }
    if (erased(place)) erased_[place] = false;
    members_[place].value = std::move(value);
  }
  void erase(std::string_view key) {
    const std::size_t place = place_of(key);
    if (place == members_.size()) return;
    erased_.resize(members_.size());
    erased_[place] = true;
  }
  /// Carries out the erasures.
  void finish() {
    std::size_t place = 0;
    if (erased_.empty()) return;
    std::erase_if(members_, [&](const Json::Member&) { return erased(place++); });
  }

 private:
  // Up to here looking at each member is cheaper than hashing them all.
  static constexpr std::size_t kScannedMax = 64;

  [[nodiscard]] bool erased(std::size_t place) const {
    return place < erased_.size() && erased_[place];
  }
  [[nodiscard]] std::size_t place_of(std::string_view key) const {
    if (indexed_) {
      const auto found = places_.find(key);
      return found == places_.end() ? members_.size() : found->second;
    }
    std::size_t place = 0;
    while (place < members_.size() && members_[place].key != key) ++place;
    return place;
  }

  Json::Members& members_;
  std::unordered_map<std::string_view, std::size_t> places_;  // Of members_, which never moves.
  bool indexed_ = false;
  std::vector<bool> erased_;
};

}  // namespace davit::sandbox

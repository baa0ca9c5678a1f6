#include <optional>
#include <unordered_map>
#include <utility>

#include "lib/kube/patch/member_lookup.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

using Form = ValueType::Form;

Json merged(const Json& live, const Json& applied, const ValueType& type, Level level);

Json merged_members(const Json& live, const Json& applied, const ValueType& type, Level level) {
  Json::Members out;
  out.reserve(live.size() + applied.size());
  MemberLookup applied_members(&applied);
  for (const auto& [name, value] : live.members()) {
    const Json* other = applied_members.find(name);
    if (other == nullptr) {
      out.push_back({name, value});
      continue;
    }
    const MemberType known = member_type(type, name, level);
    out.push_back({name, merged(value, *other, known.type, level_below(name, level))});
  }
  MemberLookup live_members(&live);
  for (const auto& [name, value] : applied.members()) {
    if (live_members.find(name) == nullptr) out.push_back({name, value});
  }
  return Json(std::move(out));
}

/// Merges two keyed lists: the applied order holds for what is applied, and what is only live keeps
/// its place in relation to what precedes it.
class ListMerge {
 public:
  ListMerge(const Json& live, const Json& applied, const ValueType& type)
      : live_(live),
        applied_(applied),
        type_(type),
        live_keys_(element_keys(type, live)),
        applied_keys_(element_keys(type, applied)) {
    for (std::size_t i = 0; i < live_keys_.size(); ++i) live_places_.emplace(live_keys_[i], i);
    for (std::size_t i = 0; i < applied_keys_.size(); ++i) {
      applied_places_.emplace(applied_keys_[i], i);
    }
    advance_shared(0);
  }

  Json run() {
    while (live_at_ < live_keys_.size() || applied_at_ < applied_keys_.size()) {
      if (live_at_ < live_keys_.size() && applied_at_ < applied_keys_.size()) {
        const std::string& key = live_keys_[live_at_];
        if (key == applied_keys_[applied_at_]) {
          ++live_at_;
          take_applied();
          continue;
        }
        // Shared, but its turn in the applied order has not come.
        if (applied_places_.contains(key) && next_shared_ < applied_keys_.size() &&
            applied_keys_[next_shared_] != key) {
          ++live_at_;
          continue;
        }
      }
      if (live_at_ < live_keys_.size()) {
        const auto place = applied_places_.find(live_keys_[live_at_]);
        if (place == applied_places_.end()) {
          out_.push_back(live_.items()[live_at_++]);
          continue;
        }
        if (place->second < applied_at_) ++live_at_;  // Merged already.
      }
      if (applied_at_ < applied_keys_.size()) take_applied();
    }
    return Json(std::move(out_));
  }

 private:
  void take_applied() {
    const Json& wanted = applied_.items()[applied_at_];
    const auto place = live_places_.find(applied_keys_[applied_at_]);
    out_.push_back(place == live_places_.end() ? wanted
                                               : merged(live_.items()[place->second], wanted,
                                                        type_.element(), Level::kInner));
    if (applied_at_ == next_shared_) advance_shared(applied_at_ + 1);
    ++applied_at_;
  }
  /// The next applied element that is live, too.
  void advance_shared(std::size_t from) {
    while (from < applied_keys_.size() && !live_places_.contains(applied_keys_[from])) ++from;
    next_shared_ = from;
  }

  const Json& live_;
  const Json& applied_;
  const ValueType& type_;
  const std::vector<std::string> live_keys_;
  const std::vector<std::string> applied_keys_;
  std::unordered_map<std::string, std::size_t> live_places_;
  std::unordered_map<std::string, std::size_t> applied_places_;
  std::size_t live_at_ = 0;
  std::size_t applied_at_ = 0;
  std::size_t next_shared_ = 0;
  Json::Items out_;
};

Json merged(const Json& live, const Json& applied, const ValueType& type, Level level) {
  const ValueType seen = type.resolved(&applied);
  switch (seen.form) {
    case Form::kStruct:
    case Form::kMap:
      if (!live.is_object() || (live.size() == 0 && applied.size() == 0)) return applied;
      if (!applied.is_object()) return live;
      return merged_members(live, applied, seen, level);
    case Form::kList:
    case Form::kSet:
      if (!live.is_array() || (live.size() == 0 && applied.size() == 0)) return applied;
      if (!applied.is_array()) return live;
      return ListMerge(live, applied, seen).run();
    case Form::kLeaf:
    case Form::kDeduced:
      break;
  }
  return applied;
}

}  // namespace

Json merged_object(const Json& live, const Json& applied, const Message* schema) {
  return merged(live, applied, ValueType::of_object(schema), Level::kObject);
}

}  // namespace davit

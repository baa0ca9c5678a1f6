#include "plugins/pools/waiting_claims.hpp"

#include <algorithm>
#include <queue>
#include <vector>

namespace davit::pools {
namespace {

/// The group of one claim.
std::string own_group(const Claim& claim) { return "uid " + claim.uid; }

/// The same for claims that any address of the same pools satisfies.
std::string group_of(const Claim& claim) {
  const bool has_wish = claim.asked[0] || claim.asked[1] || !claim.pool.empty() ||
                        !claim.look.sharing.key.empty() || !claim.mistake.ok();
  if (has_wish) return own_group(claim);
  std::string out = claim.needs_all ? "all" : "any";
  for (const Family each : claim.families) out += each == Family::kIPv4 ? " 4" : " 6";
  for (const std::size_t each : claim.fitting) out += "," + std::to_string(each);
  return out;
}

}  // namespace

void WaitingClaims::put(const Claim& claim) {
  erase(claim.uid);
  join(group_of(claim), claim);
  all_.emplace(claim.uid, claim);
}

void WaitingClaims::set_apart(std::string_view uid) {
  const auto found = all_.find(std::string(uid));
  if (found == all_.end() || !leave(group_of(found->second), found->second)) return;
  join(own_group(found->second), found->second);
}

void WaitingClaims::join(const std::string& group, const Claim& claim) {
  groups_[group].emplace(claim.age, claim.uid);
}

bool WaitingClaims::leave(const std::string& group, const Claim& claim) {
  const auto found = groups_.find(group);
  if (found == groups_.end() || found->second.erase({claim.age, claim.uid}) == 0) return false;
  if (found->second.empty()) groups_.erase(found);
  return true;
}

bool WaitingClaims::erase(std::string_view uid) {
  const auto found = all_.find(std::string(uid));
  if (found == all_.end()) return false;
  if (!leave(group_of(found->second), found->second)) {
    leave(own_group(found->second), found->second);
  }
  all_.erase(found);
  return true;
}

void WaitingClaims::clear() {
  all_.clear();
  groups_.clear();
}

void WaitingClaims::each_oldest_first(const std::function<Found(const Claim&)>& look) const {
  struct Next {
    Group::const_iterator at;
    Group::const_iterator end;
  };
  const auto is_younger = [](const Next& a, const Next& b) { return *b.at < *a.at; };
  std::vector<Next> first;
  first.reserve(groups_.size());
  for (const auto& each : groups_) first.push_back({each.second.begin(), each.second.end()});
  std::priority_queue<Next, std::vector<Next>, decltype(is_younger)> next(is_younger,
                                                                          std::move(first));
  while (!next.empty()) {
    Next group = next.top();
    next.pop();
    if (look(all_.at(group.at->second)) == Found::kNone) continue;
    if (++group.at != group.end) next.push(group);
  }
}

}  // namespace davit::pools

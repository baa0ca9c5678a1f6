#include "sandbox/faults/fault_rule.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

/// `wanted` is "resource[.group][/subresource]" or "*".
bool matches_resource(std::string_view wanted, const Asked& asked) {
  if (wanted == "*") return !asked.resource.empty();
  const std::size_t slash = std::min(wanted.find('/'), wanted.size());
  const std::string_view sub = wanted.substr(std::min(slash + 1, wanted.size()));
  const std::string_view main = wanted.substr(0, slash);
  if (sub != "*" && sub != asked.subresource) return false;
  const std::size_t dot = std::min(main.find('.'), main.size());
  if (main.substr(0, dot) != asked.resource) return false;
  return dot == main.size() || main.substr(dot + 1) == asked.group;
}

}  // namespace

std::string_view to_text(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDelay:
      return "delay";
    case FaultKind::kStatus:
      return "status";
    case FaultKind::kReset:
      return "reset";
    case FaultKind::kLost:
      return "lost";
    case FaultKind::kSlow:
      return "slow";
    case FaultKind::kCut:
      return "cut";
    case FaultKind::kStale:
      return "stale";
    case FaultKind::kHold:
      return "hold";
    case FaultKind::kGap:
      return "gap";
  }
  return "";
}

bool FaultTarget::matches_kind(const Asked& asked) const {
  if (!verbs.empty() && !contains(verbs, asked.verb)) return false;
  if (!resources.empty() &&
      std::none_of(resources.begin(), resources.end(),
                   [&](const std::string& each) { return matches_resource(each, asked); })) {
    return false;
  }
  if (asked.user_agent.find(user_agent) == std::string::npos) return false;
  return user.empty() || user == asked.user;
}

bool FaultTarget::matches(const Asked& asked) const {
  return (ns.empty() || ns == asked.ns) && (name.empty() || name == asked.name) &&
         matches_kind(asked);
}

}  // namespace davit::sandbox

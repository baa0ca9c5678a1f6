#include "sandbox/faults/fault_rule.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

/// `wanted` is "resource[.group][/subresource]" or "*".
bool matches_resource(std::string_view wanted, const RequestFacts& request_facts) {
  if (wanted == "*") return !request_facts.resource.empty();
  const std::size_t slash = std::min(wanted.find('/'), wanted.size());
  const std::string_view sub = wanted.substr(std::min(slash + 1, wanted.size()));
  const std::string_view main = wanted.substr(0, slash);
  if (sub != "*" && sub != request_facts.subresource) return false;
  const std::size_t dot = std::min(main.find('.'), main.size());
  if (main.substr(0, dot) != request_facts.resource) return false;
  return dot == main.size() || main.substr(dot + 1) == request_facts.group;
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
    case FaultKind::kBody:
      return "body";
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

bool FaultTarget::matches_kind(const RequestFacts& request_facts) const {
  if (!verbs.empty() && !contains(verbs, request_facts.verb)) return false;
  if (!resources.empty() &&
      std::none_of(resources.begin(), resources.end(), [&](const std::string& each) {
        return matches_resource(each, request_facts);
      })) {
    return false;
  }
  if (request_facts.user_agent.find(user_agent) == std::string::npos) return false;
  return user.empty() || user == request_facts.user;
}

bool FaultTarget::matches(const RequestFacts& request_facts) const {
  return (ns.empty() || ns == request_facts.ns) && (name.empty() || name == request_facts.name) &&
         matches_kind(request_facts);
}

}  // namespace davit::sandbox

#include "sandbox/faults/fault_plan.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

bool replaces_response(FaultKind kind) {
  return kind == FaultKind::kStatus || kind == FaultKind::kReset;
}

/// Whether the kind makes sense for the verb at all.
bool concerns(FaultKind kind, const RequestFacts& request_facts) {
  switch (kind) {
    case FaultKind::kHold:
      return request_facts.verb == "watch";
    case FaultKind::kStale:
      return !request_facts.resource.empty() && request_facts.subresource.empty() &&
             (request_facts.verb == "get" || request_facts.verb == "list");
    case FaultKind::kGap:
      return false;
    default:
      return true;
  }
}

bool loses_type(const FaultRule& rule, const std::string& type) {
  if (rule.event_types.empty()) return type != "BOOKMARK" && type != "ERROR";
  return std::find(rule.event_types.begin(), rule.event_types.end(), type) !=
         rule.event_types.end();
}

/// Whether the kind can befall a watch long after it opened.
bool lasts(const FaultRule& rule) {
  return rule.kind == FaultKind::kHold || rule.kind == FaultKind::kCut ||
         (rule.kind == FaultKind::kStatus && rule.code == 410);
}

}  // namespace

const FaultHit* RequestFaults::find(FaultKind kind) const {
  for (const FaultHit& each : hits) {
    if (each.rule->kind == kind) return &each;
  }
  return nullptr;
}

std::uint64_t FaultPlan::add(FaultRule rule, Time now, Revision revision) {
  const std::uint64_t id = ++last_id_;
  count_needs(rule, 1);
  auto shared = std::make_shared<const FaultRule>(std::move(rule));
  rules_.emplace(id, Active{std::move(shared), now, revision, make_seeded_random(seed_ + id)});
  return id;
}

bool FaultPlan::remove(std::uint64_t id) {
  const auto found = rules_.find(id);
  if (found == rules_.end()) return false;
  count_needs(*found->second.rule, -1);
  rules_.erase(found);
  return true;
}

void FaultPlan::count_needs(const FaultRule& rule, int step) {
  if (rule.kind == FaultKind::kGap) gap_rules_ += step;
  if (!rule.target.user.empty()) user_rules_ += step;
}

std::vector<std::uint64_t> FaultPlan::ids() const {
  std::vector<std::uint64_t> out;
  for (const auto& [id, active] : rules_) out.push_back(id);
  return out;
}

bool FaultPlan::awake(const Active& active, Time now) {
  const Duration age = now - active.added;
  return age >= active.rule->from && (!active.rule->until || age < *active.rule->until);
}

bool FaultPlan::strike(Active& active) {
  const FaultRule& rule = *active.rule;
  if (rule.count && active.hits >= *rule.count) return false;
  if (++active.matched <= rule.skip) return false;
  if (rule.probability < 1 && active.random->unit() >= rule.probability) return false;
  ++active.hits;
  return true;
}

RequestFaults FaultPlan::on_request(const RequestFacts& request_facts, Time now) {
  RequestFaults out;
  bool replaced = false;
  for (auto& [id, active] : rules_) {
    const FaultKind kind = active.rule->kind;
    if (!concerns(kind, request_facts) || (replaced && replaces_response(kind)) ||
        !awake(active, now))
      continue;
    if (!active.rule->target.matches(request_facts) || !strike(active)) continue;
    replaced = replaced || replaces_response(kind);
    out.hits.push_back({id, active.rule, active.revision});
  }
  return out;
}

std::optional<FaultHit> FaultPlan::on_open_watch(std::uint64_t id,
                                                 const RequestFacts& request_facts, Time now) {
  const auto found = rules_.find(id);
  if (found == rules_.end()) return std::nullopt;
  Active& active = found->second;
  if (!lasts(*active.rule) || !awake(active, now) || !active.rule->target.matches(request_facts) ||
      !strike(active)) {
    return std::nullopt;
  }
  return FaultHit{id, active.rule, active.revision};
}

bool FaultPlan::loses(const RequestFacts& request_facts, const EventFacts& event, Time now) {
  for (auto& [id, active] : rules_) {
    const FaultRule& rule = *active.rule;
    if (rule.kind != FaultKind::kGap || !awake(active, now)) continue;
    if (!rule.target.matches_kind(request_facts) || !loses_type(rule, event.type)) continue;
    if (!rule.target.ns.empty() && rule.target.ns != event.ns) continue;
    if (!rule.target.name.empty() && rule.target.name != event.name) continue;
    if (strike(active)) return true;
  }
  return false;
}

Json FaultPlan::describe(std::uint64_t id) const {
  const auto found = rules_.find(id);
  if (found == rules_.end()) return {};
  Json out = Json::object({{"id", std::to_string(id)}});
  for (const Json::Member& each : found->second.rule->source.members()) {
    out.set(each.key, each.value);
  }
  out.set("matched", static_cast<std::int64_t>(found->second.matched));
  out.set("hits", static_cast<std::int64_t>(found->second.hits));
  return out;
}

}  // namespace davit::sandbox

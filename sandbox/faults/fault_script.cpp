// The text form of fault rules.
#include <algorithm>
#include <charconv>

#include "lib/kube/script_fields.hpp"
#include "sandbox/faults/fault_rule.hpp"

namespace davit::sandbox {

namespace {

constexpr FaultKind kKinds[] = {
    FaultKind::kDelay, FaultKind::kStatus, FaultKind::kReset, FaultKind::kLost, FaultKind::kBody,
    FaultKind::kSlow,  FaultKind::kCut,    FaultKind::kStale, FaultKind::kHold, FaultKind::kGap};

void read_target(ScriptFields& rule, FaultTarget& out) {
  const Json* target = rule.take("target");
  if (target == nullptr) return;
  ScriptFields fields(*target, rule.path_of("target"));
  fields.read("verb", out.verbs);
  fields.read("resource", out.resources);
  fields.read("namespace", out.ns);
  fields.read("name", out.name);
  fields.read("userAgent", out.user_agent);
  fields.read("user", out.user);
  fields.refuse_others();
  rule.adopt(fields.mistake());
}

void read_probability(ScriptFields& fields, double& out) {
  const Json* value = fields.take("probability");
  if (value == nullptr) return;
  const std::string& text = value->text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!value->is_number() || !whole || !(out >= 0 && out <= 1)) {
    fields.fail("probability", "must be a number between 0 and 1");
  }
}

void read_watch_moment(ScriptFields& fields, FaultRule& out) {
  fields.read("after", out.after);
  fields.read("afterEvents", out.after_events);
}

void read_kind(ScriptFields& fields, FaultRule& out) {
  switch (out.kind) {
    case FaultKind::kDelay:
      fields.read("delay", out.delay);
      if (out.delay == Duration(0)) fields.fail("delay", "is needed");
      return;
    case FaultKind::kStatus:
      fields.read_within("code", out.code, 400, 599);
      if (out.code == 0) fields.fail("code", "is needed");
      fields.read_within("retryAfterSeconds", out.retry_after_seconds, 0, 86400);
      fields.read("message", out.message);
      return read_watch_moment(fields, out);
    case FaultKind::kBody:
      if (!fields.has("body")) fields.fail("body", "is needed");
      fields.read("body", out.body);
      return;
    case FaultKind::kSlow:
      fields.read("bytesPerSecond", out.bytes_per_second);
      if (out.bytes_per_second == 0) fields.fail("bytesPerSecond", "is needed");
      return;
    case FaultKind::kCut:
      fields.read("afterBytes", out.after_bytes);
      fields.read("clean", out.clean);
      return read_watch_moment(fields, out);
    case FaultKind::kStale:
      fields.read("revisionsBack", out.revisions_back);
      return;
    case FaultKind::kHold:
      fields.read("for", out.hold_for);
      return read_watch_moment(fields, out);
    case FaultKind::kGap:
      fields.read("events", out.event_types);
      return;
    case FaultKind::kReset:
    case FaultKind::kLost:
      return;
  }
}

Result<FaultRule> parse_rule(const Json& json, const std::string& path) {
  ScriptFields fields(json, path);
  if (!fields.mistake().ok()) return fields.mistake();
  FaultRule out;
  std::string kind;
  fields.read("fault", kind);
  const auto* known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](FaultKind each) { return to_text(each) == kind; });
  if (known == std::end(kKinds)) {
    fields.fail("fault",
                "must be one of delay, status, reset, lost, body, slow, cut, stale, hold and gap");
    return fields.mistake();
  }
  out.kind = *known;
  read_target(fields, out.target);
  fields.read("skip", out.skip);
  fields.read("count", out.count);
  read_probability(fields, out.probability);
  fields.read("from", out.from);
  fields.read("until", out.until);
  read_kind(fields, out);
  fields.refuse_others();
  if (!fields.mistake().ok()) return fields.mistake();
  out.source = json;
  return out;
}

}  // namespace

Result<FaultScript> parse_fault_script(const Json& script) {
  FaultScript out;
  if (script.contains("fault")) {
    Result<FaultRule> rule = parse_rule(script, "");
    if (!rule) return rule.error();
    out.rules.push_back(std::move(*rule));
    return out;
  }
  ScriptFields fields(script, "");
  fields.read("seed", out.seed);
  const Json* rules = fields.take("rules");
  fields.refuse_others();
  if (rules != nullptr && !rules->is_array()) fields.fail("rules", "must be a list");
  if (!fields.mistake().ok()) return fields.mistake();
  if (rules == nullptr) return out;
  for (std::size_t i = 0; i < rules->items().size(); ++i) {
    Result<FaultRule> rule = parse_rule(rules->items()[i], "rules[" + std::to_string(i) + ']');
    if (!rule) return rule.error();
    out.rules.push_back(std::move(*rule));
  }
  return out;
}

}  // namespace davit::sandbox

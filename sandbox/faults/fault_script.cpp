// The text form of fault rules.
#include <algorithm>
#include <charconv>

#include "lib/kube/duration.hpp"
#include "sandbox/faults/fault_rule.hpp"

namespace davit::sandbox {

namespace {

constexpr FaultKind kKinds[] = {
    FaultKind::kDelay, FaultKind::kStatus, FaultKind::kReset, FaultKind::kLost, FaultKind::kBody,
    FaultKind::kSlow,  FaultKind::kCut,    FaultKind::kStale, FaultKind::kHold, FaultKind::kGap};

/// Far beyond any use, and so far from overflow that it can be added to any time.
constexpr Duration kLongest = std::chrono::hours(24 * 365);

/// Reads the members of one object, notes the first mistake, and at the end the members that are
/// unknown.
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail("", "must be an object");
  }

  /// The first mistake of all calls so far.
  [[nodiscard]] const Status& mistake() const { return mistake_; }
  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }
  void fail(std::string_view key, std::string_view why) {
    if (!mistake_.ok()) return;
    std::string place = path_;
    if (!key.empty()) place.append(place.empty() ? "" : ".").append(key);
    if (!place.empty()) place += ": ";
    mistake_ = {Code::kInvalid, place + std::string(why)};
  }

  void adopt(const Status& mistake) {
    if (mistake_.ok()) mistake_ = mistake;
  }

  void read(std::string_view key, std::string& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (!value->is_string()) return fail(key, "must be a string");
    out = value->text();
  }
  void read(std::string_view key, bool& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return fail(key, "must be true or false");
    out = value->boolean();
  }
  /// A string, or a list of them.
  void read(std::string_view key, std::vector<std::string>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    if (value->is_string()) {
      out = {value->text()};
      return;
    }
    for (const Json& each : value->items()) {
      if (each.is_string()) out.push_back(each.text());
    }
    if (out.empty() || out.size() != value->size()) fail(key, "must be a string or a list of them");
  }
  void read(std::string_view key, Duration& out) {
    std::optional<Duration> read_to;
    read(key, read_to);
    out = read_to.value_or(out);
  }
  void read(std::string_view key, std::optional<Duration>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    out = value->is_string() ? parse_signed_duration(value->text()) : std::nullopt;
    if (out && (*out < Duration(0) || *out > kLongest)) out.reset();
    if (!out) fail(key, "must be a duration, such as \"1m30s\" or \"200ms\"");
  }
  void read(std::string_view key, std::optional<std::uint64_t>& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    const std::optional<std::int64_t> number = value->integer();
    if (!value->is_number() || !number || *number < 0) {
      return fail(key, "must be a whole number, 0 or more");
    }
    out = static_cast<std::uint64_t>(*number);
  }
  void read(std::string_view key, std::uint64_t& out) {
    std::optional<std::uint64_t> read_to;
    read(key, read_to);
    out = read_to.value_or(out);
  }
  void read_within(std::string_view key, int& out, int least, int most) {
    std::optional<std::uint64_t> number;
    read(key, number);
    if (!number) return;
    if (*number < static_cast<std::uint64_t>(least) || *number > static_cast<std::uint64_t>(most)) {
      return fail(key, "must be between " + std::to_string(least) + " and " + std::to_string(most));
    }
    out = static_cast<int>(*number);
  }
  void read_probability(std::string_view key, double& out) {
    const Json* value = take(key);
    if (value == nullptr) return;
    const std::string& text = value->text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!value->is_number() || !whole || !(out >= 0 && out <= 1)) {
      fail(key, "must be a number between 0 and 1");
    }
  }
  [[nodiscard]] const Json* take(std::string_view key) {
    known_.push_back(key);
    return object_.find(key);
  }
  void refuse_others() {
    for (const Json::Member& each : object_.members()) {
      if (std::find(known_.begin(), known_.end(), each.key) == known_.end()) {
        fail(each.key, "is not known here");
      }
    }
  }
  [[nodiscard]] std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
  }

 private:
  const Json& object_;
  const std::string path_;
  std::vector<std::string_view> known_;
  Status mistake_;
};

void read_target(Fields& rule, FaultTarget& out) {
  const Json* target = rule.take("target");
  if (target == nullptr) return;
  Fields fields(*target, rule.path_of("target"));
  fields.read("verb", out.verbs);
  fields.read("resource", out.resources);
  fields.read("namespace", out.ns);
  fields.read("name", out.name);
  fields.read("userAgent", out.user_agent);
  fields.read("user", out.user);
  fields.refuse_others();
  rule.adopt(fields.mistake());
}

void read_watch_moment(Fields& fields, FaultRule& out) {
  fields.read("after", out.after);
  fields.read("afterEvents", out.after_events);
}

void read_kind(Fields& fields, FaultRule& out) {
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
  Fields fields(json, path);
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
  fields.read_probability("probability", out.probability);
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
  Fields fields(script, "");
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

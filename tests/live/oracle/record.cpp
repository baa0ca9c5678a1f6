// Reduced histories and events.
#include <algorithm>
#include <charconv>

#include "tests/live/oracle/picture.hpp"

namespace davit::oracle {

using sandbox::Json;

namespace {

constexpr char kAbsent[] = "-";
constexpr char kRevision[] = "deployment.kubernetes.io/revision";

using Facts = std::map<std::string, std::string>;

/// What a controller or the scenario decided, of one version of an object.
Facts facts_of(const Json& object) {
  Facts out;
  const Json& spec = object.get("spec");
  if (spec.contains("replicas")) out["spec.replicas"] = spec.get("replicas").text();
  if (spec.get("unschedulable").boolean()) out["spec.unschedulable"] = "true";
  const std::string& revision = object.text_at({"metadata", "annotations", kRevision});
  if (!revision.empty()) out["revision"] = revision;
  for (const Json& each : spec.get("taints").items()) {
    out["taint " + each.text_at({"key"}) + ':' + each.text_at({"effect"})] = "present";
  }
  for (const Json& each : object.get("status").get("conditions").items()) {
    out["condition " + each.text_at({"type"})] =
        each.text_at({"status"}) + ' ' + each.text_at({"reason"});
  }
  return out;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// Whether `b` lies between `a` and `c`.
bool is_on_the_way(const std::string& a, const std::string& b, const std::string& c) {
  const auto from = number(a);
  const auto at = number(b);
  const auto to = number(c);
  return from && at && to && ((*from <= *at && *at <= *to) || (*from >= *at && *at >= *to));
}

class Reducer {
 public:
  Reducer(const KnownDifferences& known, std::string_view kind, Compare compare)
      : known_(known), kind_(kind), compare_(compare) {}

  [[nodiscard]] std::string reduced(const std::string& field,
                                    const std::vector<std::string>& values) const {
    std::vector<std::string> out;
    for (const std::string& each : values) {
      if (known_.is_passing(kind_, field, each)) continue;
      if (!out.empty() && out.back() == each) continue;
      if (compare_ != Compare::kSteps && out.size() >= 2 &&
          is_on_the_way(out[out.size() - 2], out.back(), each)) {
        out.back() = each;
      } else {
        out.push_back(each);
      }
    }
    std::string text;
    for (const std::string& each : out) text += (text.empty() ? "" : " → ") + each;
    return text;
  }

 private:
  const KnownDifferences& known_;
  const std::string_view kind_;
  const Compare compare_;
};

/// The values of every field through all versions.
std::map<std::string, std::vector<std::string>> fields_of(const Life& life) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Version& version : life.versions) {
    for (const auto& [field, value] : facts_of(*version)) out.try_emplace(field);
  }
  for (const Version& version : life.versions) {
    const Facts facts = facts_of(*version);
    for (auto& [field, values] : out) {
      const auto found = facts.find(field);
      values.push_back(found == facts.end() ? kAbsent : found->second);
    }
  }
  out["life"] = life.gone ? std::vector<std::string>{"created", "deleted"}
                          : std::vector<std::string>{"created"};
  return out;
}

/// Without what v1.27 added to the texts of events. One event stands for all of a kind after the
/// ninth, with the text of the last.
std::string plain_message(const std::string& text) {
  if (text.starts_with("(combined from similar events): ")) return "(combined)";
  if (!text.starts_with("Scaled ")) return text;
  const std::size_t to = text.rfind(" to ");
  const std::size_t from = text.rfind(" from ");
  return from < to && to != std::string::npos ? text.substr(0, from) + text.substr(to) : text;
}

}  // namespace

Record histories(const std::vector<Life>& lives, const Names& names, const KnownDifferences& known,
                 Compare compare) {
  Record out;
  for (const Life& life : lives) {
    const std::string_view kind = life.kind->name;
    const std::string name = std::string(kind) + ' ' + names.replaced(life.name);
    const Reducer reducer(known, kind, compare);
    if (kind == "pod") {
      // What else happens to pods is the nodes' doing.
      out[name + ": " + (life.gone ? "created → deleted" : "created")] += 1;
    }
    if (kind != "deployment" && kind != "replicaset" && kind != "endpoints" && kind != "node") {
      continue;
    }
    for (const auto& [field, values] : fields_of(life)) {
      if (known.leaves_out(kind, field, field)) continue;
      const std::string text = reducer.reduced(field, values);
      if (text != kAbsent && !text.empty()) out[name + ": " + field + ": " + text] += 1;
    }
  }
  return out;
}

Record events(const std::vector<Life>& lives, const Names& names, const KnownDifferences& known,
              Compare compare) {
  Record out;
  for (const Life& life : lives) {
    if (life.kind->name != "event") continue;
    const Json& event = life.now();
    const std::string& component = event.text_at({"source", "component"});
    const std::string& reason = event.text_at({"reason"});
    if (!component.ends_with("-controller") && !component.ends_with("controllermanager")) continue;
    if (known.is_ignored(reason)) continue;
    const std::string line = "event " + event.text_at({"type"}) + ' ' + reason + " of " +
                             event.text_at({"involvedObject", "kind"}) + ' ' +
                             names.replaced(event.text_at({"involvedObject", "name"}));
    const std::string message = plain_message(names.replaced(event.text_at({"message"})));
    if (reason == "ScalingReplicaSet" && compare != Compare::kSteps) {
      out[line] = 1;
    } else if (known.is_uncounted(reason)) {
      if (message != "(combined)") out[line + ": " + message] = 1;
    } else {
      out[line + ": " + message] += event.get("count").integer_or(1);
    }
  }
  return out;
}

}  // namespace davit::oracle

#include "tests/live/oracle/picture.hpp"

#include <algorithm>
#include <chrono>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <set>

namespace davit::oracle {

namespace {

bool is_compared(const KindInfo& kind) {
  return kind.name == "deployment" || kind.name == "replicaset" || kind.name == "pod" ||
         kind.name == "endpoints" || kind.name == "endpointslice" || kind.name == "node" ||
         kind.name == "clusterrole" || kind.name == "job" || kind.name == "cronjob" ||
         kind.name == "replicationcontroller" || kind.name == "daemonset" ||
         kind.name == "statefulset" || kind.name == "persistentvolumeclaim" ||
         kind.name == "controllerrevision" || kind.name == "poddisruptionbudget" ||
         kind.name == "resourcequota" || kind.name == "serviceaccount" || kind.name == "secret" ||
         kind.name == "configmap" || kind.name == "horizontalpodautoscaler" ||
         kind.name == "persistentvolume" || kind.name == "volumeattributesclass" ||
         kind.name == "volumeattachment" || kind.name == "servicecidr" ||
         kind.name == "validatingadmissionpolicy" || kind.name == "certificatesigningrequest" ||
         kind.name == "storageversion" || kind.name == "storageversionmigration" ||
         kind.name == "resourceclaim" || kind.name == "devicetaintrule";
}

/// Lists whose order is that of a race or of random addresses; all others are compared in order. A
/// list of addresses says beside it whether it is in order (with_named_addresses).
bool is_unordered(const std::string& path) {
  static const std::set<std::string> kPaths = {"status.conditions",
                                               "spec.taints",
                                               "subsets",
                                               "subsets.addresses",
                                               "endpoints",
                                               "subsets.notReadyAddresses",
                                               "spec.tolerations",
                                               "status.volumesAttached",
                                               "status.resourceClaimStatuses"};
  return kPaths.contains(path);
}

/// The members that count, with names replaced and lists without an order sorted.
Json canonical(const Json& json, std::string_view kind, const std::string& path, const Names& names,
               const KnownDifferences& known, Compare compare) {
  if (json.is_string()) return names.replaced(json.text());
  if (json.is_array()) {
    std::vector<std::pair<std::string, Json>> items;
    for (const Json& each : json.items()) {
      if (path == "status.conditions" &&
          known.leaves_out(kind, "condition", each.text_at({"type"}), compare)) {
        continue;
      }
      Json item = canonical(each, kind, path, names, known, compare);
      std::string text = to_canonical_text(item);
      items.emplace_back(std::move(text), std::move(item));
    }
    if (is_unordered(path)) {
      std::sort(items.begin(), items.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    Json out = Json::array();
    for (auto& [text, item] : items) out.push_back(std::move(item));
    return out;
  }
  if (!json.is_object()) return json;
  if (path == "status.conditions" &&
      known.is_alike(kind, "condition " + json.text_at({"type"}),
                     json.text_at({"status"}) + ' ' + json.text_at({"reason"}))) {
    return Json::object({{"type", json.text_at({"type"})}, {"status", json.text_at({"status"})}});
  }
  Json out = Json::object();
  for (const Json::Member& each : json.members()) {
    const std::string at = path.empty() ? each.key : path + '.' + each.key;
    if (known.leaves_out(kind, at, each.key, compare)) continue;
    if (each.key == "deletionTimestamp") {
      out.set(each.key, "a time");
      continue;
    }
    if (at == "status.certificate") {
      out.set(each.key, "a certificate");
      continue;
    }
    Json member = canonical(each.value, kind, at, names, known, compare);
    // A server of another version may write an empty member that this one leaves out.
    if (!member.empty()) out.set(names.replaced(each.key), std::move(member));
  }
  return out;
}

using Pods = std::map<std::string, const Json*>;

bool has_address(const Json& pod, const std::string& address) {
  if (pod.text_at({"status", "podIP"}) == address) return true;
  const Json::Items& all = pod.get("status").get("podIPs").items();
  return std::any_of(all.begin(), all.end(),
                     [&address](const Json& each) { return each.text_at({"ip"}) == address; });
}

/// Replaces values that an address or endpoint copies from its pod, which are random, by "of the
/// pod".
void name_members(Json& target, const Pods& pods) {
  const auto pod = pods.find(target.text_at({"targetRef", "name"}));
  if (pod == pods.end()) return;
  if (has_address(*pod->second, target.text_at({"ip"}))) target.set("ip", "of the pod");
  if (Json* addresses = target.find("addresses")) {
    for (Json& each : addresses->make_array()) {
      if (has_address(*pod->second, each.text())) each = Json("of the pod");
    }
  }
  if (target.text_at({"nodeName"}) == pod->second->text_at({"spec", "nodeName"})) {
    target.set("nodeName", "of the pod");
  }
  const std::string& zone =
      pod->second->text_at({"metadata", "labels", "topology.kubernetes.io/zone"});
  if (!zone.empty() && target.text_at({"zone"}) == zone) target.set("zone", "of the pod");
}

/// Addresses are random; what counts is whether each is that of its pod, and whether a list is in
/// the order of its addresses' texts, as the original's are.
Json with_named_addresses(Json object, const std::vector<Life>& lives) {
  Pods pods;
  for (const Life& each : lives) {
    if (each.kind->name == "pod") pods[each.name] = &each.now();
  }
  if (Json* endpoints = object.find("endpoints")) {
    for (Json& each : endpoints->make_array()) name_members(each, pods);
  }
  if (!object.contains("subsets")) return object;
  for (Json& subset : object["subsets"].make_array()) {
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      Json* addresses = subset.find(list);
      if (addresses == nullptr) continue;
      const Json::Items& items = addresses->items();
      const bool is_sorted = std::is_sorted(
          items.begin(), items.end(),
          [](const Json& a, const Json& b) { return a.text_at({"ip"}) < b.text_at({"ip"}); });
      for (Json& each : addresses->make_array()) name_members(each, pods);
      subset.set(std::string(list) + " in order", is_sorted);
    }
  }
  return object;
}

/// A Recreate rollout has no more pods than updated ones at any time, so the original takes it for
/// complete as soon as there is a new ReplicaSet, and keeps a condition that already reports it. It
/// names the former ReplicaSet then, unless the write that follows the new one's creation, which
/// sets the condition again, met no conflict (pkg/controller/deployment/progress.go,
/// syncRolloutStatus; sync.go, getNewReplicaSet).
Json without_message_of_recreate(Json object, const KnownDifferences& known) {
  if (object.text_at({"spec", "strategy", "type"}) != "Recreate") return object;
  Json* status = object.find("status");
  Json* conditions = status == nullptr ? nullptr : status->find("conditions");
  if (conditions == nullptr) return object;
  for (Json& each : conditions->make_array()) {
    const std::string field = "condition " + each.text_at({"type"}) + " of Recreate";
    if (known.is_alike("deployment", field,
                       each.text_at({"status"}) + ' ' + each.text_at({"reason"}))) {
      each.set("message", "names this ReplicaSet or the one before");
    }
  }
  return object;
}

/// The token of a Secret as algorithm and claims: keys, and therefore signatures, differ.
Json with_readable_token(Json object) {
  const std::string token = decode_base64(object.text_at({"data", "token"})).value_or("");
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == last) return object;
  const auto decoded = [](std::string_view part) { return decode_base64_url(part).value_or(""); };
  const Result<Json> header = parse_json(decoded(token.substr(0, first)));
  Result<Json> claims = parse_json(decoded(token.substr(first + 1, last - first - 1)));
  if (!header || !claims) return object;
  object["data"].set(
      "token", Json::object({{"algorithm", header->get("alg")}, {"claims", *std::move(claims)}}));
  return object;
}

/// The day on which a controller marked a token, if it is this one or, around midnight, the one
/// before: recordings are of another day.
Json with_named_day(Json secret) {
  constexpr char kInvalidSince[] = "kubernetes.io/legacy-token-invalid-since";
  constexpr std::size_t kDayLetters = 10;  // "2026-11-28"
  Json* labels = secret.at({"metadata", "labels"});
  Json* day = labels == nullptr ? nullptr : labels->find(kInvalidSince);
  if (day == nullptr) return secret;
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  for (const int days_ago : {0, 1}) {
    const std::string time = format_time(now - days_ago * std::chrono::hours(24));
    if (day->text() == time.substr(0, kDayLetters)) {
      *day = "the day of the play";
      break;
    }
  }
  return secret;
}

/// A daemon pod has to run on the node that its affinity names. Chance decides which of several
/// equal nodes gets its new pod first.
Json with_named_node(Json pod) {
  const std::string node = pod.text_at({"spec", "nodeName"});
  Json* terms = pod.find("spec");
  for (const char* each : {"affinity", "nodeAffinity",
                           "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}) {
    if (terms != nullptr) terms = terms->find(each);
  }
  if (terms == nullptr || node.empty()) return pod;
  for (Json& term : terms->make_array()) {
    Json* fields = term.find("matchFields");
    if (fields == nullptr) continue;
    for (Json& field : fields->make_array()) {
      if (to_text(field.get("values")) == to_text(Json::array({node}))) {
        field.set("values", "of the pod");
      }
    }
  }
  return pod;
}

Json to_compare(const Life& life, const std::vector<Life>& lives, const KnownDifferences& known) {
  if (life.kind->name.starts_with("endpoint")) return with_named_addresses(life.now(), lives);
  if (life.kind->name == "secret") return with_named_day(with_readable_token(life.now()));
  if (life.kind->name == "pod") return with_named_node(life.now());
  if (life.kind->name == "deployment") return without_message_of_recreate(life.now(), known);
  return life.now();
}

/// The group of slices among which the original distributes endpoints at random.
std::string group_of(const Json& slice) {
  const Json& labels = slice.get("metadata").get("labels");
  return labels.text_at({"kubernetes.io/service-name"}) + ' ' +
         labels.text_at({"endpointslice.kubernetes.io/managed-by"}) + ' ' +
         slice.text_at({"addressType"}) + ' ' + to_text(slice.get("ports"));
}

/// If a group has several slices, each keeps only the number of its endpoints, and an additional
/// object has the endpoints of all.
void join_slices(std::vector<std::pair<const Life*, Json>>& objects) {
  std::map<std::string, std::vector<std::pair<const Life*, Json>*>> groups;
  for (auto& each : objects) {
    if (each.first->kind->name == "endpointslice") groups[group_of(each.second)].push_back(&each);
  }
  std::vector<std::pair<const Life*, Json>> joined;
  for (const auto& [name, slices] : groups) {
    if (slices.size() < 2) continue;
    Json all = Json::array();
    for (auto* slice : slices) {
      const Json endpoints = slice->second.get("endpoints");
      for (const Json& each : endpoints.items()) all.push_back(each);
      slice->second.set("endpoints", static_cast<std::int64_t>(endpoints.items().size()));
    }
    joined.emplace_back(slices.front()->first, Json::object({{"endpoints", std::move(all)}}));
  }
  for (auto& each : joined) objects.push_back(std::move(each));
}

/// "status.replicas" → "3", for every leaf.
void flatten(const Json& json, const std::string& path, std::map<std::string, std::string>& out) {
  if (json.is_object()) {
    for (const Json::Member& each : json.members()) {
      flatten(each.value, path.empty() ? each.key : path + '.' + each.key, out);
    }
  } else if (json.is_array()) {
    std::size_t index = 0;
    for (const Json& each : json.items())
      flatten(each, path + '[' + std::to_string(index++) + ']', out);
  } else {
    out[path] = to_text(json);
  }
}

std::vector<std::string> member_differences(const std::string& name, const std::string& original,
                                            const std::string& ours) {
  std::map<std::string, std::string> a;
  std::map<std::string, std::string> b;
  flatten(json_literal(original), "", a);
  flatten(json_literal(ours), "", b);
  std::vector<std::string> out;
  for (const auto& [path, value] : a) {
    const auto found = b.find(path);
    if (found != b.end() && found->second == value) continue;
    out.push_back(name + ": " + path + " is " + value + ", but " +
                  (found == b.end() ? "missing" : found->second) + " here");
  }
  for (const auto& [path, value] : b) {
    if (!a.contains(path)) out.push_back(name + ": " + path + " is " + value + " here only");
  }
  return out;
}

}  // namespace

Picture picture(const std::vector<Life>& lives, const Names& names, const KnownDifferences& known,
                Compare compare) {
  std::vector<std::pair<const Life*, Json>> objects;
  for (const Life& each : lives) {
    if (each.gone || !is_compared(*each.kind)) continue;
    objects.emplace_back(&each, to_compare(each, lives, known));
  }
  join_slices(objects);
  Picture out;
  for (const auto& [life, object] : objects) {
    out.emplace_back(
        std::string(life->kind->name) + ' ' + names.replaced(life->name),
        to_canonical_text(canonical(object, life->kind->name, "", names, known, compare)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> differences(const Picture& original, const Picture& ours) {
  Picture only_original;
  Picture only_ours;
  std::set_difference(original.begin(), original.end(), ours.begin(), ours.end(),
                      std::back_inserter(only_original));
  std::set_difference(ours.begin(), ours.end(), original.begin(), original.end(),
                      std::back_inserter(only_ours));
  std::vector<std::string> out;
  for (const auto& [name, text] : only_original) {
    const auto counterpart = std::find_if(only_ours.begin(), only_ours.end(),
                                          [&name](const auto& each) { return each.first == name; });
    if (counterpart == only_ours.end()) {
      out.push_back(name + " does not exist here: " + text);
      continue;
    }
    for (std::string& each : member_differences(name, text, counterpart->second)) {
      out.push_back(std::move(each));
    }
    only_ours.erase(counterpart);
  }
  for (const auto& [name, text] : only_ours) out.push_back(name + " exists here only: " + text);
  return out;
}

std::vector<std::string> differences(const Record& original, const Record& ours) {
  std::vector<std::string> out;
  for (const auto& [line, count] : original) {
    const auto found = ours.find(line);
    const std::int64_t here = found == ours.end() ? 0 : found->second;
    if (here == count) continue;
    out.push_back(std::to_string(count) + " times, " + std::to_string(here) +
                  " times here: " + line);
  }
  for (const auto& [line, count] : ours) {
    if (!original.contains(line)) out.push_back("here only: " + line);
  }
  return out;
}

}  // namespace davit::oracle

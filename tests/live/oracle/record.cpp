// Reduced histories and events.
#include <algorithm>
#include <charconv>
#include <set>

#include "lib/base/lower_case.hpp"
#include "tests/live/oracle/picture.hpp"

namespace davit::oracle {

namespace {

constexpr char kAbsent[] = "-";
constexpr char kRevision[] = "deployment.kubernetes.io/revision";
constexpr char kTtl[] = "node.alpha.kubernetes.io/ttl";

/// The counts in the status of a PodDisruptionBudget.
// The other counters depend on when pods start and end.
constexpr const char* kDaemonNumbers[] = {"desiredNumberScheduled", "numberMisscheduled",
                                          "updatedNumberScheduled"};
constexpr const char* kBudgetNumbers[] = {"disruptionsAllowed", "currentHealthy", "desiredHealthy",
                                          "expectedPods"};

using Facts = std::map<std::string, std::string>;

constexpr char kNone[] = "0";
constexpr char kNoEndpoint[] = "0 absent";
constexpr char kNotReady[] = "1 not ready";
constexpr char kReady[] = "2 ready";

/// "http 8080/TCP": ports in the order of the object.
std::string ports_of(const Json& object) {
  std::string out;
  for (const Json& each : object.get("ports").items()) {
    out += (out.empty() ? "" : ",") + each.text_at({"name"}) + ' ' + each.get("port").text() + '/' +
           each.text_at({"protocol"});
  }
  return out;
}

/// Whom an endpoint stands for.
std::string target_of(const Json& endpoint, const std::string& address) {
  const std::string& pod = endpoint.text_at({"targetRef", "name"});
  return pod.empty() ? address : pod;
}

/// The facts in Endpoints or an EndpointSlice about each endpoint.
void add_endpoints(const Json& object, Facts& out) {
  for (const Json& subset : object.get("subsets").items()) {
    for (const auto& [list, state] :
         {std::pair("addresses", kReady), std::pair("notReadyAddresses", kNotReady)}) {
      for (const Json& each : subset.get(list).items()) {
        out["endpoint " + target_of(each, each.text_at({"ip"})) + " at" + ports_of(subset)] = state;
      }
    }
  }
  for (const Json& each : object.get("endpoints").items()) {
    const Json& conditions = each.get("conditions");
    const Json::Items& addresses = each.get("addresses").items();
    const std::string target = target_of(each, addresses.empty() ? "" : addresses.front().text()) +
                               " at" + ports_of(object) + ' ' + object.text_at({"addressType"});
    out["endpoint " + target] = conditions.get("ready").boolean() ? kReady : kNotReady;
    if (conditions.get("terminating").boolean()) {
      out["terminating " + target] =
          conditions.get("serving").boolean() ? "serving" : "not serving";
    }
  }
}

/// "StatefulSet web, Pod web-1"
std::string owners_of(const Json& object) {
  std::string out;
  for (const Json& each : object.get("metadata").get("ownerReferences").items()) {
    out += (out.empty() ? "" : ", ") + each.text_at({"kind"}) + ' ' + each.text_at({"name"});
  }
  return out.empty() ? "none" : out;
}

/// The facts in the status of a Job, which counts from zero.
void add_counts(const Json& job, Facts& out) {
  const Json& status = job.get("status");
  for (const char* each : {"active", "succeeded", "failed", "terminating"}) {
    out["status." + std::string(each)] = std::to_string(status.get(each).integer_or(0));
  }
  for (const char* each : {"completedIndexes", "failedIndexes"}) {
    if (!status.text_at({each}).empty())
      out["status." + std::string(each)] = status.text_at({each});
  }
}

/// "kubernetes.io/pv-protection, example.com/hold"
std::string finalizers_of(const Json& object) {
  std::string out;
  for (const Json& each : object.get("metadata").get("finalizers").items()) {
    out += (out.empty() ? "" : ", ") + each.text();
  }
  return out.empty() ? "none" : out;
}

/// The facts in claims, volumes, classes, attachments, and in Nodes about their volumes and blocks.
void add_storage(const Json& object, Facts& out) {
  const std::string& kind = object.text_at({"kind"});
  const Json& spec = object.get("spec");
  if (kind == "Node") {
    // Several volumes come together or not, by chance; their names show at rests.
    const std::size_t volumes = object.get("status").get("volumesAttached").items().size();
    if (volumes != 0) out["volumes"] = std::to_string(volumes);
    std::string blocks;
    for (const Json& each : spec.get("podCIDRs").items()) blocks += ' ' + each.text();
    if (!blocks.empty()) out["podCIDRs"] = std::move(blocks);
  }
  if (kind == "VolumeAttachment") {
    out["attached"] = object.get("status").get("attached").boolean() ? "true" : "false";
  }
  const bool is_claim = kind == "PersistentVolumeClaim";
  const bool is_volume = kind == "PersistentVolume";
  const bool is_deleted = object.get("metadata").contains("deletionTimestamp");
  // Whether the last version still has its finalizers is the server's affair.
  const std::string finalizers = finalizers_of(object);
  const bool is_usual = is_claim && finalizers == "kubernetes.io/pvc-protection";
  if ((is_claim || is_volume || kind == "VolumeAttributesClass" || kind == "ServiceCIDR") &&
      !is_deleted && !is_usual) {
    out["finalizers"] = finalizers;
  }
  if (!is_claim && !is_volume) return;
  const std::string& phase = object.text_at({"status", "phase"});
  if (is_volume || phase != "Pending") out["phase"] = phase;
  if (is_volume && spec.contains("claimRef")) {
    const bool has_uid = !spec.text_at({"claimRef", "uid"}).empty();
    out["claim"] = spec.text_at({"claimRef", "name"}) + (has_uid ? " by UID" : "");
  }
  if (is_claim && spec.contains("volumeName")) out["volume"] = spec.text_at({"volumeName"});
  for (const char* each : {"bound-by-controller", "bind-completed", "migrated-to"}) {
    const std::string& value =
        object.text_at({"metadata", "annotations", std::string("pv.kubernetes.io/") + each});
    if (!value.empty()) out[each] = value;
  }
}

/// The facts in requests for certificates, and about the versions in which objects are stored.
void add_cluster(const Json& object, Facts& out) {
  const Json& status = object.get("status");
  if (status.contains("certificate")) out["certificate"] = "present";
  std::string servers;
  for (const Json& each : status.get("storageVersions").items()) {
    servers += (servers.empty() ? "" : ", ") + each.text_at({"apiServerID"});
  }
  if (!servers.empty()) out["servers"] = std::move(servers);
  const std::string& common = status.text_at({"commonEncodingVersion"});
  if (!common.empty()) out["common version"] = common;
}

/// The facts in claims of devices.
void add_devices(const Json& object, Facts& out) {
  if (object.text_at({"kind"}) != "ResourceClaim") return;
  out["owners"] = owners_of(object);
  if (!object.get("metadata").contains("deletionTimestamp"))
    out["finalizers"] = finalizers_of(object);
  const Json& status = object.get("status");
  if (status.contains("allocation")) out["allocation"] = "present";
  std::string consumers;
  for (const Json& each : status.get("reservedFor").items()) {
    consumers += (consumers.empty() ? "" : ", ") + each.text_at({"name"});
  }
  if (!consumers.empty()) out["reserved for"] = std::move(consumers);
}

/// The facts in one version of an object that a controller or the scenario decided.
Facts facts_of(const Json& object) {
  Facts out;
  add_endpoints(object, out);
  if (object.text_at({"kind"}) == "Job") add_counts(object, out);
  const Json& spec = object.get("spec");
  if (spec.contains("replicas")) out["spec.replicas"] = spec.get("replicas").text();
  if (spec.get("unschedulable").boolean()) out["spec.unschedulable"] = "true";
  const std::string& revision = object.text_at({"metadata", "annotations", kRevision});
  if (!revision.empty()) out["revision"] = revision;
  if (object.contains("data") && object.contains("revision")) {
    out["revision"] = object.get("revision").text();
  }
  for (const char* each : {"currentRevision", "updateRevision", "currentReplicas",
                           "updatedReplicas", "collisionCount"}) {
    const Json& value = object.get("status").get(each);
    if (!value.empty() && spec.contains("podManagementPolicy")) out[each] = value.text();
  }
  if (spec.contains("scaleTargetRef")) {
    for (const char* each : {"currentReplicas", "desiredReplicas"}) {
      out["status." + std::string(each)] =
          std::to_string(object.get("status").get(each).integer_or(0));
    }
  }
  if (object.text_at({"kind"}) == "PersistentVolumeClaim") out["owners"] = owners_of(object);
  add_storage(object, out);
  add_cluster(object, out);
  add_devices(object, out);
  const std::string& ttl = object.text_at({"metadata", "annotations", kTtl});
  if (!ttl.empty()) out["ttl"] = ttl;
  if (object.contains("rules")) out["rules"] = to_text(object.get("rules"));
  for (const Json::Member& each : object.get("status").get("used").members()) {
    out["used " + each.key] = each.value.text();
  }
  for (const char* each : kBudgetNumbers) {
    if (object.get("status").contains(each)) out[each] = object.get("status").get(each).text();
  }
  for (const Json::Member& each : object.get("data").members()) {
    out["data " + each.key] = each.value.empty() ? "empty" : "present";
  }
  for (const Json& each : object.get("secrets").items()) {
    out["secret " + each.text_at({"name"})] = "named";
  }
  if (object.get("status").contains(kDaemonNumbers[0])) {
    // Some of the counters are left out when they are 0.
    for (const char* each : kDaemonNumbers) {
      out[each] = std::to_string(object.get("status").get(each).integer_or(0));
    }
  }
  for (const Json& each : spec.get("taints").items()) {
    out["taint " + each.text_at({"key"}) + ':' + each.text_at({"effect"})] = "present";
  }
  const Json& active = object.get("status").get("active");
  // In a CronJob a list, in a Job a number, which its controller writes.
  if (active.is_array()) out["active"] = std::to_string(active.items().size());
  for (const Json& each : object.get("status").get("conditions").items()) {
    out["condition " + each.text_at({"type"})] =
        each.text_at({"status"}) + ' ' + each.text_at({"reason"});
  }
  return out;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool is_whole = end == text.data() + text.size() || *end == ' ';  // "1 not ready"
  if (error != std::errc() || !is_whole) return std::nullopt;
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
    for (const auto& [field, value] : facts_of(*version)) {
      auto& values = out[field];
      // Whether the first version of the object has the endpoint already depends on which of the
      // Service and the pod the controller sees first.
      if (values.empty() && field.starts_with("endpoint ")) values.emplace_back(kNoEndpoint);
    }
  }
  for (const Version& version : life.versions) {
    const Facts facts = facts_of(*version);
    for (auto& [field, values] : out) {
      const auto found = facts.find(field);
      const char* absent = field.starts_with("endpoint ") ? kNoEndpoint
                           : field == "volumes"           ? kNone
                                                          : kAbsent;
      values.push_back(found == facts.end() ? absent : found->second);
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
  // Each client library has its own words for a request that got no response.
  for (const std::string_view request : {": Post \"https://", ": POST https://"}) {
    const std::size_t begin = text.find(request);
    if (begin != std::string::npos) return text.substr(0, begin) + ": no response";
  }
  if (!text.starts_with("Scaled ")) return text;
  const std::size_t to = text.rfind(" to ");
  const std::size_t from = text.rfind(" from ");
  return from < to && to != std::string::npos ? text.substr(0, from) + text.substr(to) : text;
}

/// The changes of size of the ReplicaSets that this Deployment controls.
std::int64_t size_changes(const Json& deployment, const std::vector<Life>& lives) {
  std::int64_t out = 0;
  for (const Life& life : lives) {
    if (life.kind->name != "replicaset") continue;
    std::int64_t before = 0;
    for (const Version& version : life.versions) {
      const std::int64_t replicas = version->get("spec").get("replicas").integer_or(0);
      const Json::Items& owners = version->get("metadata").get("ownerReferences").items();
      const bool is_owned = !owners.empty() && owners.front().text_at({"uid"}) ==
                                                   deployment.text_at({"metadata", "uid"});
      if (is_owned && replicas != before) ++out;
      before = replicas;
    }
  }
  return out;
}

/// The number of a rollout's steps depends on when pods become ready, but each has its event.
void add_scaling_events(const std::vector<Life>& lives, const Names& names, Record& out) {
  for (const Life& life : lives) {
    if (life.kind->name != "deployment") continue;
    std::int64_t told = 0;
    for (const Life& each : lives) {
      const Json& event = each.now();
      if (each.kind->name == "event" && event.text_at({"reason"}) == "ScalingReplicaSet" &&
          event.text_at({"involvedObject", "uid"}) == life.now().text_at({"metadata", "uid"})) {
        told += event.get("count").integer_or(1);
      }
    }
    const std::int64_t missing = size_changes(life.now(), lives) - told;
    out["changes of size without event ScalingReplicaSet of " + names.replaced(life.name)] +=
        missing;
  }
}

/// The pods of each StatefulSet that creates one after the other, in the order of their creation.
void add_pod_order(const std::vector<Life>& lives, Record& out) {
  for (const Life& set : lives) {
    if (set.kind->name != "statefulset") continue;
    if (set.now().text_at({"spec", "podManagementPolicy"}) == "Parallel") continue;
    std::string order;
    for (const Life& each : lives) {
      const Json& labels = each.now().get("metadata").get("labels");
      const bool is_numbered = labels.contains("statefulset.kubernetes.io/pod-name");
      if (each.kind->name == "pod" && is_numbered && each.name.starts_with(set.name + '-')) {
        order += ' ' + each.name;
      }
    }
    out["pods of " + set.name + " in order:" + order] = 1;
  }
}

/// Whether the name had more than one object, one after the other.
bool was_recreated(const std::vector<Life>& lives, std::string_view kind, const std::string& name) {
  return std::count_if(lives.begin(), lives.end(), [&](const Life& each) {
           return each.kind->name == kind && each.name == name;
         }) > 1;
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
      // The nodes cause all other changes of pods.
      out[name + ": " + (life.gone ? "created → deleted" : "created")] += 1;
    }
    if (kind != "deployment" && kind != "replicaset" && !kind.starts_with("endpoint") &&
        kind != "node" && kind != "clusterrole" && kind != "job" && kind != "cronjob" &&
        kind != "replicationcontroller" && kind != "daemonset" && kind != "statefulset" &&
        kind != "persistentvolumeclaim" && kind != "controllerrevision" &&
        kind != "poddisruptionbudget" && kind != "resourcequota" && kind != "serviceaccount" &&
        kind != "secret" && kind != "configmap" && kind != "horizontalpodautoscaler" &&
        kind != "persistentvolume" && kind != "volumeattributesclass" &&
        kind != "volumeattachment" && kind != "servicecidr" &&
        kind != "validatingadmissionpolicy" && kind != "certificatesigningrequest" &&
        kind != "storageversion" && kind != "storageversionmigration" && kind != "resourceclaim" &&
        kind != "devicetaintrule") {
      continue;
    }
    for (const auto& [field, values] : fields_of(life)) {
      const std::string shown = names.replaced(field);
      const std::string sort = shown.substr(0, shown.find(' '));  // "endpoint", "terminating"
      if (known.leaves_out(kind, field, sort, compare)) continue;
      const std::string text = reducer.reduced(sort == "terminating" ? sort : field, values);
      if (text == kAbsent || text.empty()) continue;
      // A second life of an Endpoints object is a race (known_differences.yaml, life).
      std::int64_t& count = out[name + ": " + shown + ": " + text];
      count = sort == "endpoint" ? 1 : count + 1;
    }
  }
  add_pod_order(lives, out);
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
    static const std::set<std::string_view> kOthers = {
        "horizontal-pod-autoscaler", "cidrAllocator", "ephemeral_volume", "volume_expand",
        "selinux_warning",           "resource_claim"};
    if (!component.ends_with("-controller") && !component.ends_with("controllermanager") &&
        !kOthers.contains(component)) {
      continue;
    }
    if (known.is_ignored(reason)) continue;
    const std::string& kind = event.text_at({"involvedObject", "kind"});
    const std::string& object = event.text_at({"involvedObject", "name"});
    if (known.is_ignored_of_recreated(lower_case(kind), reason) &&
        was_recreated(lives, lower_case(kind), object)) {
      continue;
    }
    const std::string line = "event " + event.text_at({"type"}) + ' ' + reason + " of " + kind +
                             ' ' + names.replaced(object);
    const std::string message = plain_message(names.replaced(event.text_at({"message"})));
    if (reason == "ScalingReplicaSet" && compare != Compare::kSteps) {
      out[line] = 1;  // Counted below.
    } else if (known.is_uncounted(lower_case(kind), reason)) {
      if (message != "(combined)") out[line + ": " + message] = 1;
    } else {
      out[line + ": " + message] += event.get("count").integer_or(1);
    }
  }
  add_scaling_events(lives, names, out);
  return out;
}

}  // namespace davit::oracle

#include "tests/system/invariants.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace davit::test {

namespace {

bool is_of(const Json& object, const std::string& name) {
  return object.text_at({"metadata", "labels", "app"}) == name;
}

bool is_alive(const Step& step) {
  const std::string& phase = step.object.text_at({"status", "phase"});
  return !step.deleted && !step.object.get("metadata").contains("deletionTimestamp") &&
         phase != "Failed" && phase != "Succeeded";
}

bool is_ready(const Json& pod) {
  if (pod.get("metadata").contains("deletionTimestamp")) return false;
  for (const Json& condition : pod.get("status").get("conditions").items()) {
    if (condition.text_at({"type"}) == "Ready") return condition.text_at({"status"}) == "True";
  }
  return false;
}

/// The number of replicas that a Deployment or a ReplicaSet may have.
class Allowance {
 public:
  void see(const Json& object) {
    const Json& spec = object.get("spec");
    const Json& status = object.get("status");
    const std::int64_t wanted = spec.get("replicas").integer_or(1);
    const bool observed =
        status.get("observedGeneration") == object.get("metadata").get("generation");
    const bool converged = observed && status.get("replicas").integer_or(0) <= wanted;
    replicas_ = converged ? wanted : std::max(replicas_, wanted);
    const Json* surge = spec.at({"strategy", "rollingUpdate", "maxSurge"});
    surge_ = surge == nullptr ? 0 : surge->integer_or(0);
  }
  [[nodiscard]] std::int64_t replicas() const { return replicas_ + surge_; }

 private:
  std::int64_t replicas_ = 0;
  std::int64_t surge_ = 0;
};

std::string line(const Step& step) {
  return std::to_string(step.revision) + (step.deleted ? " deleted " : " ") + step.kind + " " +
         step.object.text_at({"metadata", "name"});
}

/// Goes through the life of one Deployment.
class Replay {
 public:
  void take(const Step& step) {
    if (step.kind == "Deployment") deployment_.see(step.object);
    if (step.kind == "ReplicaSet") take_set(step);
    if (step.kind == "Pod") take_pod(step);
  }
  [[nodiscard]] const std::vector<std::string>& excess() const { return excess_; }

 private:
  struct Set {
    Allowance allowance;
    std::int64_t wanted = 0;
    std::set<std::string> pods;
  };

  void take_set(const Step& step) {
    Set& set = sets_[step.object.text_at({"metadata", "uid"})];
    set.allowance.see(step.object);
    const std::int64_t before = std::exchange(
        set.wanted, step.deleted ? 0 : step.object.get("spec").get("replicas").integer_or(1));
    std::int64_t wanted = 0;
    for (const auto& [uid, each] : sets_) wanted += each.wanted;
    if (set.wanted > before && wanted > deployment_.replicas()) {
      note(step, wanted, deployment_.replicas());
    }
  }

  void take_pod(const Step& step) {
    const Json* owners = step.object.at({"metadata", "ownerReferences"});
    if (owners == nullptr || owners->items().empty()) return;
    Set& set = sets_[owners->items()[0].text_at({"uid"})];
    const std::string& uid = step.object.text_at({"metadata", "uid"});
    if (!is_alive(step)) {
      set.pods.erase(uid);
    } else if (set.pods.insert(uid).second) {
      const auto pods = static_cast<std::int64_t>(set.pods.size());
      if (pods > set.allowance.replicas()) note(step, pods, set.allowance.replicas());
    }
  }

  void note(const Step& step, std::int64_t have, std::int64_t may) {
    excess_.push_back(line(step) + ": " + std::to_string(have) + " of " + std::to_string(may));
  }

  Allowance deployment_;
  std::map<std::string, Set> sets_;
  std::vector<std::string> excess_;
};

void find_orphans(const Record::Objects& objects, const Record::Objects& owners,
                  std::vector<std::string>& out) {
  for (const auto& [uid, object] : objects) {
    const Json* references = object.at({"metadata", "ownerReferences"});
    if (references == nullptr || references->items().empty()) {
      out.push_back(object.text_at({"metadata", "name"}) + " has no owner");
      continue;
    }
    const std::string& owner = references->items()[0].text_at({"uid"});
    if (!owners.contains(owner)) {
      out.push_back(object.text_at({"metadata", "name"}) + " is left of " + owner);
    }
  }
}

}  // namespace

std::size_t ready_pods(const Record& record, const std::string& name) {
  std::size_t out = 0;
  for (const auto& [uid, pod] : record.pods()) out += is_of(pod, name) && is_ready(pod) ? 1 : 0;
  return out;
}

std::size_t fewest_ready_pods(const Record& record, sandbox::Revision revision,
                              const std::string& name) {
  std::set<std::string> ready;
  std::optional<std::size_t> out;
  for (const Step& step : record.steps()) {
    if (step.kind != "Pod" || !is_of(step.object, name)) continue;
    if (!out && step.revision > revision) out = ready.size();
    const std::string& uid = step.object.text_at({"metadata", "uid"});
    if (!step.deleted && is_ready(step.object)) {
      ready.insert(uid);
    } else {
      ready.erase(uid);
    }
    if (out) out = std::min(*out, ready.size());
  }
  return out.value_or(ready.size());
}

std::vector<std::string> excess(const Record& record, const std::string& name) {
  Replay replay;
  for (const Step& step : record.steps()) {
    if (is_of(step.object, name)) replay.take(step);
  }
  return replay.excess();
}

std::vector<std::string> orphans(const Record& record) {
  std::vector<std::string> out;
  find_orphans(record.pods(), record.replica_sets(), out);
  find_orphans(record.replica_sets(), record.deployments(), out);
  return out;
}

std::vector<std::string> steps_since(const Record& record, sandbox::Revision revision,
                                     const std::string& name) {
  std::vector<std::string> out;
  for (const Step& step : record.steps()) {
    if (step.revision > revision && is_of(step.object, name)) out.push_back(line(step));
  }
  return out;
}

}  // namespace davit::test

#include "plugins/statefulset/pod_control.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <davit/client.hpp>
#include <davit/json_writer.hpp>
#include <davit/writes.hpp>
#include <string>
#include <utility>

#include "plugins/statefulset/identity.hpp"

namespace davit::statefulset {
namespace {

constexpr std::array kPauses{std::chrono::milliseconds(10), std::chrono::milliseconds(50),
                             std::chrono::milliseconds(250)};

/// The verb of an Event about a pod.
enum class PodVerb : std::uint8_t { kCreate, kUpdate, kDelete };

std::string_view text_of(PodVerb verb) {
  constexpr std::array<std::string_view, 3> kTexts{"Create", "Update", "Delete"};
  return kTexts[static_cast<std::size_t>(verb)];
}

class PodEvents {
 public:
  PodEvents(Context& cluster, const StatefulSet& set) : events_(cluster.events()), set_(set) {}

  void record(PodVerb verb, std::string_view pod, const Status& outcome) const {
    const std::string action(text_of(verb));
    const std::string what =
        action + " Pod " + std::string(pod) + " in StatefulSet " + std::string(set_.name());
    if (outcome.ok()) {
      events_.normal(set_, "Successful" + action, what + " successful");
    } else {
      events_.warning(set_, "Failed" + action, what + " failed error: " + outcome.message());
    }
  }

 private:
  EventRecorder events_;
  const StatefulSet& set_;
};

/// Positions and users of the pods that a further stage concerns.
struct Stage {
  std::vector<std::size_t> slots;
  std::vector<ClaimUser> users;

  void add(std::size_t slot, ClaimUser user) {
    slots.push_back(slot);
    users.push_back(std::move(user));
  }
};

ClaimUser claim_user(const Pod& pod) {
  return {.pod = std::string(pod.name()),
          .uid = std::string(pod.uid()),
          .ordinal = parse_pod_name(pod.name()).ordinal};
}

bool has_identity(const StatefulSet& set, const Pod& pod) {
  const PodName name = parse_pod_name(pod.name());
  return name.ordinal >= 0 && name.parent == set.name() &&
         pod.name() == pod_name(set.name(), name.ordinal) && pod.label(kPodNameLabel) == pod.name();
}

bool has_volume(const Pod& pod, std::string_view volume, std::string_view claim) {
  for (const Value each : pod.spec()["volumes"].elements()) {
    if (each[&Names::name].string() != volume) continue;
    if (each["persistentVolumeClaim"]["claimName"].string() == claim) return true;
  }
  return false;
}

bool has_storage(const StatefulSet& set, const Pod& pod, std::string_view name) {
  for (const Value each : set.claim_templates().elements()) {
    const std::string_view volume = each[&Names::metadata][&Names::name].string();
    if (!has_volume(pod, volume, claim_name(volume, name))) return false;
  }
  return true;
}

/// The parts of a pod that are wrong.
struct Wrong {
  bool identity = false;
  bool storage = false;
};

/// A strategic merge patch. Volumes are immutable, so the server refuses them; upstream tries, too.
std::string correction(const StatefulSet& set, const Pod& pod, const ClaimUser& user,
                       const Wrong& wrong) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("uid", pod.uid()).member("resourceVersion", pod.resource_version());
  if (wrong.identity) {
    body.key("labels").begin_object();
    write_identity(body, user.pod, user.ordinal);
    body.end_object();
  }
  body.end_object();
  if (wrong.storage) {
    body.key("spec").begin_object().key("volumes").begin_array();
    for (const Value each : set.claim_templates().elements()) {
      begin_claim_volume(body, each[&Names::metadata][&Names::name].string(), user.pod);
      body.key("$retainKeys").begin_array();
      body.string("name").string("persistentVolumeClaim").end_array().end_object();
    }
    body.end_array().end_object();
  }
  body.end_object();
  return std::move(body).text();
}

}  // namespace

std::vector<Status> PodControl::create(const StatefulSet& set, std::span<const NewPod> pods) const {
  const PodEvents events(cluster_, set);
  std::vector<ClaimUser> users;
  for (const NewPod& each : pods) {
    users.push_back({pod_name(set.name(), each.ordinal), {}, each.ordinal});
  }
  std::vector<Status> results = claims_.create_missing(set, users);
  std::vector<std::size_t> slots;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!results[i].ok()) {
      events.record(PodVerb::kCreate, users[i].pod, results[i]);
      continue;
    }
    slots.push_back(i);
    requests.push_back(Request::create<Pod>(
        set.ns(), pod_body(set, pods[i].version, pods[i].ordinal), {.answer = Answer::kMetadata}));
  }
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  Stage owned;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const std::size_t slot = slots[i];
    results[slot] = responses[i].error();
    // A foreign pod, or one that the cache lacks: tried again in silence.
    if (results[slot].code() == Code::kAlreadyExists) continue;
    if (responses[i]) users[slot].uid = Pod(*responses[i]).uid();
    owned.add(slot, users[slot]);
  }
  const std::vector<Status> fixed = claims_.fix_owners(set, owned.users);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const std::size_t slot = owned.slots[i];
    if (!fixed[i].ok()) {
      results[slot] = fixed[i];
      events.record(PodVerb::kUpdate, users[slot].pod, fixed[i]);
    } else {
      events.record(PodVerb::kCreate, users[slot].pod, results[slot]);
    }
  }
  return results;
}

std::vector<Status> PodControl::remove(const StatefulSet& set,
                                       std::span<const std::string> pods) const {
  const PodEvents events(cluster_, set);
  std::vector<Request> requests;
  for (const std::string& each : pods) {
    requests.push_back(Request::remove<Pod>({std::string(set.ns()), each}));
  }
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  std::vector<Status> results;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    results.push_back(responses[i].error().unless(Code::kNotFound));
    events.record(PodVerb::kDelete, pods[i], results.back());
  }
  return results;
}

std::vector<Status> PodControl::complete_claims(const StatefulSet& set,
                                                std::span<const Pod> pods) const {
  const PodEvents events(cluster_, set);
  std::vector<ClaimUser> users;
  for (const Pod& each : pods) users.push_back(claim_user(each));
  std::vector<Status> results = claims_.create_missing(set, users);
  Stage complete;
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (results[i].ok()) complete.add(i, users[i]);
  }
  const std::vector<Status> fixed = claims_.fix_owners(set, complete.users);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i].ok()) continue;
    results[complete.slots[i]] = fixed[i];
    events.record(PodVerb::kUpdate, complete.users[i].pod, fixed[i]);
  }
  return results;
}

std::vector<Status> PodControl::fix_claims(const StatefulSet& set,
                                           std::span<const Pod> pods) const {
  std::vector<Status> results(pods.size());
  Stage wrong;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    ClaimUser user = claim_user(pods[i]);
    if (!claims_.have_right_owners(set, user)) wrong.add(i, std::move(user));
  }
  const std::vector<Status> fixed = claims_.fix_owners(set, wrong.users);
  for (std::size_t i = 0; i < fixed.size(); ++i) results[wrong.slots[i]] = fixed[i];
  return results;
}

struct PodControl::Correction {
  bool wrote = false;     ///< The pod or the owners of its claims.
  bool recorded = false;  ///< The failure has its Event.
};

Status PodControl::refresh(const StatefulSet& set, const Pod& pod) const {
  const PodEvents events(cluster_, set);
  Correction done;
  Pod latest = pod;
  const Status status = retry_on_conflict(cluster_, kPauses, [&]() -> Status {
    Status attempt = correct(set, latest, done);
    if (attempt.code() == Code::kConflict) {
      if (const Lookup<Pod> cached = pods_.get(pod.key())) latest = *cached;
    }
    return attempt;
  });
  if (done.wrote && !done.recorded) events.record(PodVerb::kUpdate, pod.name(), status);
  return status;
}

Status PodControl::correct(const StatefulSet& set, const Pod& pod, Correction& done) const {
  const PodEvents events(cluster_, set);
  ClaimUser user = claim_user(pod);
  user.pod = pod_name(set.name(), user.ordinal);
  const Wrong wrong{.identity = !has_identity(set, pod),
                    .storage = !has_storage(set, pod, user.pod)};
  const auto failed = [&](const Status& error) {
    done.recorded = true;
    events.record(PodVerb::kUpdate, pod.name(), error);
    // Only a conflict about the pod is worth another attempt.
    return error.code() == Code::kConflict ? Status(Code::kUnavailable, error.message()) : error;
  };
  if (wrong.storage) {
    const Status created = claims_.create_missing(set, {&user, 1}).front();
    if (!created.ok()) return failed(created);
  }
  if (!claims_.have_right_owners(set, user)) {
    const Status fixed = claims_.fix_owners(set, {&user, 1}).front();
    if (!fixed.ok()) return failed(fixed);
    done.wrote = true;
  }
  if (!wrong.identity && !wrong.storage) return {};
  done.wrote = true;
  return cluster_.client()
      .patch<Pod>({std::string(pod.ns()), user.pod}, PatchType::kStrategic,
                  correction(set, pod, user, wrong), {.answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::statefulset

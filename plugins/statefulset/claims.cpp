#include "plugins/statefulset/claims.hpp"

#include <davit/client.hpp>
#include <davit/controller_ref_manager.hpp>
#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/statefulset/bodies.hpp"
#include "plugins/statefulset/claim_plan.hpp"

namespace davit::statefulset {
namespace {

/// A request for a claim of one of the pods.
struct ClaimCall {
  std::size_t user;  ///< Position of the pod.
  std::string claim;
};

std::string claim_of(Value claim_template, std::string_view pod) {
  return claim_name(claim_template[&Names::metadata][&Names::name].string(), pod);
}

ClaimOwners owners_of(const StatefulSet& set, const ClaimUser& user) {
  return {.set = {.name = set.name(), .uid = set.uid()},
          .pod = {.name = user.pod, .uid = user.uid},
          .pod_is_in_range = range_of(set).contains(user.ordinal)};
}

/// The claims of a pod that the cache has.
std::vector<PersistentVolumeClaim> cached_claims(const Informer<PersistentVolumeClaim>& cache,
                                                 const StatefulSet& set, std::string_view pod) {
  std::vector<PersistentVolumeClaim> found;
  for (const Value each : set.claim_templates().elements()) {
    if (const auto claim = cache.get(set.ns(), claim_of(each, pod))) found.push_back(*claim);
  }
  return found;
}

std::string owners_patch(const PersistentVolumeClaim& claim, std::string_view references) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("uid", claim.uid()).member("resourceVersion", claim.resource_version());
  body.key("ownerReferences").raw(references).end_object().end_object();
  return std::move(body).text();
}

/// The texts of the events about a claim.
class ClaimEvents {
 public:
  ClaimEvents(Context& cluster, const StatefulSet& set) : events_(cluster.events()), set_(set) {}

  void created(std::string_view claim, std::string_view pod) const {
    events_.normal(set_, "SuccessfulCreate",
                   "Create Claim " + std::string(claim) + " Pod " + std::string(pod) +
                       " in StatefulSet " + std::string(set_.name()) + " success");
  }
  void failed(std::string_view claim, std::string_view pod, std::string_view error) const {
    events_.warning(set_, "FailedCreate",
                    "Create Claim " + std::string(claim) + " for Pod " + std::string(pod) +
                        " in StatefulSet " + std::string(set_.name()) +
                        " failed error: " + std::string(error));
  }
  /// The spelling is upstream's.
  void conflicting(std::string_view claim) const {
    events_.warning(set_, "ConflictingController",
                    "PersistentVolumeClaim " + std::string(claim) +
                        " has a conflicting OwnerReference that acts as a manging controller, the "
                        "retention policy is ignored for this claim");
  }

 private:
  EventRecorder events_;
  const StatefulSet& set_;
};

}  // namespace

OrdinalRange range_of(const StatefulSet& set) {
  return {.first = set.first_ordinal(), .count = set.replicas()};
}

std::vector<Status> Claims::create_missing(const StatefulSet& set,
                                           std::span<const ClaimUser> users) const {
  const ClaimEvents events(cluster_, set);
  std::vector<std::vector<Status>> errors(users.size());
  std::vector<ClaimCall> calls;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < users.size(); ++i) {
    for (const Value each : set.claim_templates().elements()) {
      std::string claim = claim_of(each, users[i].pod);
      if (const auto cached = cache_.get(set.ns(), claim)) {
        if (!cached->is_being_deleted()) continue;
        errors[i].emplace_back(Code::kUnavailable, "pvc " + claim + " is being deleted");
      } else {
        requests.push_back(Request::create<PersistentVolumeClaim>(
            set.ns(), claim_body(set, each, users[i].pod), {.answer = Answer::kMetadata}));
        calls.push_back({i, std::move(claim)});
      }
    }
  }
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const auto& [user, claim] = calls[i];
    const Status status = responses[i].error();
    if (status.ok()) {
      events.created(claim, users[user].pod);
      continue;
    }
    errors[user].push_back(status.with_context("failed to create PVC " + claim));
    if (status.code() == Code::kAlreadyExists) continue;  // The cache lags.
    events.failed(claim, users[user].pod, status.message());
  }
  std::vector<Status> results;
  results.reserve(users.size());
  for (const std::vector<Status>& each : errors) results.push_back(join_errors(each));
  return results;
}

bool Claims::have_right_owners(const StatefulSet& set, const ClaimUser& user) const {
  const Retention policy = read_retention(set.retention_policy());
  const ClaimOwners owners = owners_of(set, user);
  for (const PersistentVolumeClaim& each : cached_claims(cache_, set, user.pod)) {
    if (!are_up_to_date(each.owner_references(), policy, owners)) return false;
  }
  return true;
}

std::vector<Status> Claims::fix_owners(const StatefulSet& set,
                                       std::span<const ClaimUser> users) const {
  const ClaimEvents events(cluster_, set);
  const Retention policy = read_retention(set.retention_policy());
  std::vector<ClaimCall> calls;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const ClaimOwners owners = owners_of(set, users[i]);
    for (const PersistentVolumeClaim& each : cached_claims(cache_, set, users[i].pod)) {
      const Value references = each.owner_references();
      if (has_other_controller(references, policy, owners)) events.conflicting(each.name());
      if (are_up_to_date(references, policy, owners)) continue;
      requests.push_back(Request::patch<PersistentVolumeClaim>(
          each.key(), PatchType::kMerge,
          owners_patch(each, wanted_references(references, policy, owners)),
          {.answer = Answer::kMetadata}));
      calls.push_back({i, std::string(each.name())});
    }
  }
  std::vector<Status> results(users.size());
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    Status& result = results[calls[i].user];
    if (!result.ok()) continue;
    result = responses[i].error().with_context("could not update claim " + calls[i].claim +
                                               " for delete policy ownerRefs");
  }
  return results;
}

bool Claims::are_stale(const StatefulSet& set, std::string_view pod) const {
  const Retention policy = read_retention(set.retention_policy());
  for (const PersistentVolumeClaim& each : cached_claims(cache_, set, pod)) {
    if (is_stale_claim(each.owner_references(), policy, pod)) return true;
  }
  return false;
}

}  // namespace davit::statefulset

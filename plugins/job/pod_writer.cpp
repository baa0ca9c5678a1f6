#include "plugins/job/pod_writer.hpp"

#include <davit/mutant.hpp>
#include <davit/slow_start.hpp>
#include <optional>
#include <utility>

#include "plugins/job/pod_body.hpp"

namespace davit::job {
namespace {

constexpr std::string_view kFinalizerPatch =
    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["batch.kubernetes.io/job-tracking"]}})";

}  // namespace

Request finalizer_request(std::string_view ns, std::string_view pod) {
  return Request::patch<Pod>({std::string(ns), std::string(pod)}, PatchType::kStrategic,
                             std::string(kFinalizerPatch), {.answer = Answer::kMetadata});
}

PodsWritten PodWriter::create(const Job& job, const std::vector<NewPod>& pods) const {
  if (pods.empty()) return {};
  const JobId id = id_of(job);
  const Client client = cluster_.client();
  const EventRecorder events = cluster_.events();
  memory_.expect(id, {.additions = static_cast<std::int64_t>(pods.size())}, cluster_.now());
  std::int64_t swallowed = 0;
  const SlowStartOutcome outcome = slow_start(pods.size(), [&](std::size_t first,
                                                               std::size_t size) {
    std::vector<Request> requests;
    for (std::size_t i = first; i < first + size; ++i) {
      requests.push_back(
          Request::create<Pod>(job.ns(), pod_body(job, pods[i]), {.answer = Answer::kMetadata}));
    }
    std::vector<Status> responses;
    for (const Result<Value>& made : client.batch(requests)) {
      Status status = made.error();
      // Everything in a terminating namespace is about to go: nothing to report or to retry.
      if (status.has_cause("NamespaceTerminating")) {
        status = Status();
        ++swallowed;
      }
      if (made) {
        events.normal(job, "SuccessfulCreate", "Created pod: " + std::string(Pod(*made).name()));
      } else if (!status.ok() && status.code() != Code::kCancelled) {
        events.warning(job, "FailedCreate", "Error creating: " + status.message());
      }
      responses.push_back(std::move(status));
    }
    return responses;
  });
  // The cache will not see what failed or was never tried.
  if (outcome.succeeded < pods.size()) {
    memory_.creation_observed(id, pods.size() - outcome.succeeded);
  }
  return {static_cast<std::int64_t>(outcome.succeeded), 0, outcome.error, swallowed};
}

std::vector<Status> PodWriter::remove(const Job& job,
                                      const std::vector<const PodFacts*>& pods) const {
  const EventRecorder events = cluster_.events();
  std::vector<Request> requests;
  for (const PodFacts* pod : pods) {
    requests.push_back(Request::remove<Pod>({std::string(job.ns()), std::string(pod->name)}));
  }
  std::vector<Status> results;
  if (requests.empty()) return results;
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const Status status = responses[i].error();
    if (status.ok()) {
      events.normal(job, "SuccessfulDelete", "Deleted pod: " + std::string(pods[i]->name));
    } else if (status.code() != Code::kNotFound && status.code() != Code::kCancelled) {
      events.warning(job, "FailedDelete", "Error deleting: " + status.message());
    }
    results.push_back(status.with_context("unable to delete pods"));
  }
  return results;
}

PodsWritten PodWriter::remove_uncounted(const Job& job,
                                        const std::vector<const PodFacts*>& pods) const {
  const JobId id = id_of(job);
  memory_.expect(id, {.deletions = static_cast<std::int64_t>(pods.size())}, cluster_.now());
  PodsWritten written;
  // The cache will not see a deletion of ours.
  const auto failed = [&](const Status& status) {
    memory_.deletion_observed(id);
    if (status.code() == Code::kNotFound) {
      ++written.pods;
    } else if (written.error.ok()) {
      written.error = status;
    }
  };
  std::vector<Request> patches;
  for (const PodFacts* pod : pods) {
    if (pod->has_finalizer) patches.push_back(finalizer_request(job.ns(), pod->name));
  }
  std::vector<Result<Value>> responses;
  if (!patches.empty()) responses = cluster_.client().batch(patches);
  std::vector<const PodFacts*> untracked;
  std::size_t next = 0;
  for (const PodFacts* pod : pods) {
    const Status status = pod->has_finalizer ? responses[next++].error() : Status();
    if (status.ok()) {
      untracked.push_back(pod);
    } else {
      failed(status.with_context("removing completion finalizer"));
    }
  }
  const std::vector<Status> removals = remove(job, untracked);
  for (std::size_t i = 0; i < removals.size(); ++i) {
    if (untracked[i]->rank.ready) ++written.ready;
    if (removals[i].ok()) {
      ++written.pods;
    } else {
      failed(removals[i]);
    }
  }
  return written;
}

PodsWritten PodWriter::remove_at_end(const Job& job,
                                     const std::vector<const PodFacts*>& pods) const {
  PodsWritten written;
  const std::vector<Status> removals = remove(job, pods);
  for (std::size_t i = 0; i < removals.size(); ++i) {
    if (pods[i]->rank.ready) ++written.ready;
    if (removals[i].unless(Code::kNotFound).ok()) {
      ++written.pods;
    } else if (written.error.ok()) {
      written.error = removals[i];
    }
  }
  return written;
}

Status PodWriter::confirm_absence(std::string_view ns, const PodFacts& pod) const {
  if (mutant("absent-pod")) return {};
  // A list, which the role of upstream's controller allows; it does not allow a get.
  const std::string selector = "metadata.name=" + std::string(pod.name);
  const Result<Value> list = cluster_.client().call(
      Request::list(Pod::kResource, ns, {.field_selector = selector, .answer = Answer::kMetadata}));
  if (!list) return list.error();
  for (const Value each : (*list)[&Names::items].elements()) {
    if (ObjectView(each).uid() != pod.uid) continue;
    return {Code::kUnavailable, "the server did not find it to patch it, but still has it"};
  }
  return {};
}

PodWriter::Released PodWriter::release(const Job& job,
                                       const std::vector<const PodFacts*>& pods) const {
  Released released;
  if (pods.empty()) return released;
  const JobId id = id_of(job);
  std::vector<std::string> uids;
  for (const PodFacts* pod : pods) uids.emplace_back(pod->uid);
  memory_.await_removals(id, uids);
  std::vector<Status> statuses(pods.size(), Status(Code::kCancelled, "not sent"));
  // A Job that is being deleted may have ten thousand pods: each request is made when its turn
  // comes.
  const Status sent = cluster_.client().fan_out(
      [&](std::size_t i) -> std::optional<Request> {
        if (i >= pods.size()) return std::nullopt;
        return finalizer_request(job.ns(), pods[i]->name);
      },
      [&](std::size_t i, const Result<Value>& response) { statuses[i] = response.error(); });
  static_cast<void>(sent);  // kCancelled: then some have no response.
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    Status status = statuses[i];
    if (!status.ok()) memory_.removal_observed(id, pods[i]->uid);
    // One that is still there would be counted again.
    if (status.code() == Code::kNotFound) status = confirm_absence(job.ns(), *pods[i]);
    if (status.ok()) {
      released.uids.push_back(pods[i]->uid);
    } else if (released.error.ok()) {
      released.error = status.with_context("removing the tracking finalizer of pod " +
                                           std::string(pods[i]->name));
    }
  }
  return released;
}

}  // namespace davit::job

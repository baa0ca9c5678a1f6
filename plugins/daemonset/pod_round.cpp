#include "plugins/daemonset/pod_round.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <davit/controller_ref_manager.hpp>
#include <davit/slow_start.hpp>
#include <utility>

#include "plugins/daemonset/daemon_tolerations.hpp"
#include "plugins/shared/pods/pod_body.hpp"

namespace davit::daemonset {
namespace {

/// A node selector that only `node` satisfies.
void write_node_selector(JsonWriter& out, std::string_view node) {
  out.begin_object().key("nodeSelectorTerms").begin_array();
  out.begin_object().key("matchFields").begin_array();
  out.begin_object().member("key", "metadata.name").member("operator", "In");
  out.key("values").begin_array().string(node).end_array();
  out.end_object().end_array().end_object().end_array().end_object();
}

void write_affinity(JsonWriter& out, Value affinity, std::string_view node) {
  const pods::Replacement required{"requiredDuringSchedulingIgnoredDuringExecution",
                                   [node](JsonWriter& to) { write_node_selector(to, node); }};
  const pods::Replacement node_affinity{"nodeAffinity", [&](JsonWriter& to) {
                                          pods::rewrite_object(to, affinity["nodeAffinity"],
                                                               std::span(&required, 1));
                                        }};
  pods::rewrite_object(out, affinity, std::span(&node_affinity, 1));
}

}  // namespace

std::string daemon_pod_body(const DaemonSet& set, const PodRevision& revision,
                            std::string_view node) {
  pods::PodMetadata metadata{.generate_name = pods::pod_name_prefix(set.name())};
  if (!revision.hash.empty()) metadata.labels.emplace_back(kHashLabel, revision.hash);
  if (revision.generation) metadata.labels.emplace_back(kGenerationLabel, *revision.generation);
  const Value spec = set.pod_template()[&Names::spec];
  const std::array<pods::Replacement, 2> changed{
      pods::Replacement{"affinity",
                        [&](JsonWriter& out) { write_affinity(out, spec["affinity"], node); }},
      pods::Replacement{"tolerations",
                        [&](JsonWriter& out) { write_daemon_tolerations(out, spec); }}};
  return pods::pod_body(set.pod_template(), metadata, owner_identity(set), changed);
}

Status PodRound::run(const DaemonSet& set, const PodRevision& revision,
                     const PodChanges& changes) const {
  std::vector<std::string> nodes = changes.create_on;
  if (nodes.size() > kBurst) nodes.resize(kBurst);
  std::vector<Key> pods;
  for (const std::string& name : changes.remove) {
    if (pods.size() == kBurst) break;
    pods.push_back({std::string(set.ns()), name});
  }
  expectations_.expect(set.key(), nodes.size(), pods, cluster_.now());
  std::vector<Status> errors;
  create(set, revision, nodes, errors);
  remove(set, pods, errors);
  return join_errors(errors);
}

void PodRound::create(const DaemonSet& set, const PodRevision& revision,
                      const std::vector<std::string>& nodes, std::vector<Status>& errors) const {
  const Client client = cluster_.client();
  const EventRecorder events = cluster_.events();
  const SlowStartOutcome outcome = slow_start(nodes.size(), [&](std::size_t first,
                                                                std::size_t size) {
    std::vector<Request> requests;
    for (std::size_t i = first; i < first + size; ++i) {
      requests.push_back(Request::create<Pod>(set.ns(), daemon_pod_body(set, revision, nodes[i]),
                                              {.answer = Answer::kMetadata}));
    }
    std::vector<Status> responses;
    for (const Result<Value>& made : client.batch(requests)) {
      Status status = made.error();
      // Everything in a terminating namespace is about to go: nothing to report or to retry.
      if (status.has_cause("NamespaceTerminating")) status = Status();
      if (made) {
        events.normal(set, "SuccessfulCreate", "Created pod: " + std::string(Pod(*made).name()));
      } else if (!status.ok()) {
        if (status.code() != Code::kCancelled) {
          events.warning(set, "FailedCreate", "Error creating: " + status.message());
        }
        errors.push_back(status);
      }
      responses.push_back(std::move(status));
    }
    return responses;
  });
  // The cache will not see what failed or was never tried.
  if (outcome.succeeded < nodes.size()) {
    expectations_.creation_observed(set.key(), nodes.size() - outcome.succeeded);
  }
}

void PodRound::remove(const DaemonSet& set, const std::vector<Key>& pods,
                      std::vector<Status>& errors) const {
  const EventRecorder events = cluster_.events();
  std::vector<Request> requests;
  requests.reserve(pods.size());
  for (const Key& pod : pods) requests.push_back(Request::remove<Pod>(pod));
  const std::vector<Result<Value>> responses = cluster_.client().batch(requests);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (responses[i]) {
      events.normal(set, "SuccessfulDelete", "Deleted pod: " + pods[i].name);
      continue;
    }
    // The cache will not see a deletion of ours.
    expectations_.deletion_observed(set.key(), pods[i]);
    const Status status = responses[i].error().unless(Code::kNotFound);
    if (status.ok()) continue;
    if (status.code() != Code::kCancelled) {
      events.warning(set, "FailedDelete", "Error deleting: " + status.message());
    }
    errors.push_back(status.with_context("unable to delete pods"));
  }
}

}  // namespace davit::daemonset

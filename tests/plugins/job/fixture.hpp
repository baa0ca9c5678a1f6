/// The controller of Jobs in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <davit/testing/cluster.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/job/note.hpp"

namespace davit::job {

using Json = davit::testing::Json;
using testing::Fault;
using testing::ReadYourWrites;
using testing::Verb;
using namespace std::chrono_literals;

/// The Job is called "j", in the namespace "default"; its pods have one container, "c".
class JobTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "job-controller";
  static constexpr const char* kFinalizer = "batch.kubernetes.io/job-tracking";
  static constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
  static constexpr const char* kFailures = "batch.kubernetes.io/job-index-failure-count";
  static constexpr const char* kIgnored = "batch.kubernetes.io/job-index-ignored-failure-count";

  /// With kOff the host does not wait until the caches show what the controller has written.
  explicit JobTest(ReadYourWrites own_writes = ReadYourWrites::kOn)
      : cluster_({.note = note_text<declare>(), .read_your_writes = own_writes}) {}

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  void start();
  void restart();
  /// Pod events are put together for a second; so much and a little more goes by.
  void settle() { cluster_.advance(2s); }

  // ---- The Job, as a user ----

  /// Posts the Job with these members of its spec, changed by a JSON merge patch of the whole.
  void add_job(std::string_view spec = "{}", std::string_view patch = "{}");
  /// The same for a controller that runs: starts it first and lets it act.
  void run_job(std::string_view spec = "{}", std::string_view patch = "{}");
  /// Patches the Job as a client; what is due at once follows.
  void edit_job(std::string_view patch);
  void edit_spec(std::string_view patch) { edit_job(R"({"spec":)" + std::string(patch) + "}"); }
  /// Patches the status, which no rule of the server's judges.
  void edit_status(std::string_view patch);
  void suspend() { edit_spec(R"({"suspend":true})"); }
  void resume() { edit_spec(R"({"suspend":false})"); }
  /// Deletes it; a finalizer of a test's keeps it.
  void delete_job(Propagation propagation = Propagation::kBackground);

  // ---- Pods, as kubelets and users ----

  void set_pod(const std::string& name, std::string_view patch);
  void succeed(const std::string& name);
  /// The container exits with this code, and the pod is Failed.
  void fail(const std::string& name, int exit_code = 1);
  void set_ready(const std::string& name, std::string_view status = "True");
  /// As kubectl does: a bound pod terminates.
  void delete_pod(const std::string& name);
  /// Adds a running pod that somebody else made.
  void add_pod(const std::string& name, std::string_view patch = "{}");

  // ---- The server's state ----

  [[nodiscard]] Json job() const { return cluster_.json<Job>({"default", "j"}); }
  [[nodiscard]] std::string job_uid() const { return job().text_at({"metadata", "uid"}); }
  /// A member of the status as JSON text; "" if it is absent.
  [[nodiscard]] std::string status(std::string_view member) const;
  /// "Complete=True/CompletionsReached", …
  [[nodiscard]] std::vector<std::string> conditions() const { return conditions_of(job()); }
  [[nodiscard]] static std::vector<std::string> conditions_of(const Json& job);
  [[nodiscard]] std::string message_of(std::string_view condition) const;
  [[nodiscard]] bool exists(const std::string& pod);
  [[nodiscard]] Json pod(const std::string& name) const {
    return cluster_.json<Pod>({"default", name});
  }
  [[nodiscard]] bool has_finalizer(const std::string& pod);
  [[nodiscard]] bool is_deleted(const std::string& pod);
  [[nodiscard]] std::string annotation(const std::string& pod, std::string_view key);
  /// All pods, those that are not terminal nor being deleted, and these by their index.
  [[nodiscard]] std::vector<std::string> all_pods();
  [[nodiscard]] std::vector<std::string> active_pods();
  [[nodiscard]] std::string active_pod();
  [[nodiscard]] std::map<std::string, std::string> by_index();
  [[nodiscard]] std::string of_index(const std::string& index) { return by_index()[index]; }

  // ---- What the controller did ----

  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }
  [[nodiscard]] std::size_t creations() const { return count(Verb::kCreate, "pods"); }
  [[nodiscard]] std::size_t status_writes() const { return count(Verb::kUpdate, "jobs", "status"); }
  /// The statuses that were stored, in order.
  [[nodiscard]] std::vector<Json> stored_statuses() const;
  [[nodiscard]] std::vector<std::string> write_texts() const;
  /// The sum of what was recorded for a metric with these labels.
  [[nodiscard]] double metric(std::string_view name, const std::vector<std::string>& labels) const;
  /// The number of events with this text.
  [[nodiscard]] std::size_t events(std::string_view text) const;

  testing::Cluster cluster_;
};

/// Members of a Job's spec, and a template whose pods are bound, so that they terminate slowly.
inline constexpr std::string_view kBound =
    R"({"spec":{"template":{"spec":{"nodeName":"n1","terminationGracePeriodSeconds":600}}}})";

}  // namespace davit::job

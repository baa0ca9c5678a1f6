/// A ReplicaSet controller in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/replicaset/note.hpp"
#include "plugins/shared/replicas/replica_controller.hpp"

namespace davit::replicas {

using Json = davit::testing::Json;

/// Objects are in the namespace "ns"; the set is called "rs" unless a patch says otherwise.
class ReplicaSetTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "replicaset-controller";
  /// The controller's configuration: upstream's behaviour, which the rows describe.
  static constexpr std::string_view kWriteAtOnce = R"({"writeWindow":"0s"})";

  explicit ReplicaSetTest(testing::ReadYourWrites guard = testing::ReadYourWrites::kOn)
      : cluster_({.note = note_text<replicaset::declare>(), .read_your_writes = guard}) {}

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }
  [[nodiscard]] WallTime now() const { return cluster_.wall_now(); }

  // ---- The controller ----

  /// Starts it with filled caches, and runs nothing.
  void start_synced(std::string_view config = kWriteAtOnce) {
    const Status started = cluster_.start(kController, &ReplicaSetController::open, config);
    ASSERT_TRUE(started.ok()) << started.message();
  }
  /// Starts it and waits until it is idle.
  void start(std::string_view config = kWriteAtOnce) {
    start_synced(config);
    run_until_idle();
  }
  void start_one_sync() {
    start_synced();
    step();
  }
  void restart(std::string_view config) {
    cluster_.stop(kController);
    start(config);
  }
  void run_until_idle() { cluster_.run_until_idle(); }
  void step() { ASSERT_TRUE(cluster_.run_one_sync()); }
  void advance(Duration duration) { cluster_.advance(duration); }

  // ---- Objects, as a user ----

  /// Adds a ReplicaSet, changed by a JSON merge patch; returns its UID.
  std::string add_set(std::string_view patch = "{}");
  /// Adds a running pod without an owner that matches the set, changed by a JSON merge patch.
  void add_pod(const std::string& name, std::string_view patch = "{}");
  void edit_set(std::string_view patch) { cluster_.merge<ReplicaSet>({"ns", "rs"}, patch); }
  void edit_pod(const std::string& name, std::string_view patch) {
    cluster_.merge<Pod>({"ns", name}, patch);
  }
  /// A change that no rule reads.
  void touch_set() {
    edit_set(R"({"metadata":{"annotations":{"touch":")" + std::to_string(++touches_) + R"("}}})");
  }
  void remove_set(Propagation propagation = Propagation::kDefault) {
    cluster_.remove<ReplicaSet>({"ns", "rs"}, {.propagation = propagation});
  }
  void remove_pod(const std::string& name) { cluster_.remove<Pod>({"ns", name}); }
  void force_remove_pod(const std::string& name) { cluster_.erase<Pod>({"ns", name}); }
  /// The next creations of pods beyond `allowed` are refused.
  void fail_creates_after(int allowed, int http_status = 403,
                          const std::string& message = "rejected") {
    cluster_.fail_next({.verb = testing::Verb::kCreate,
                        .resource = "pods",
                        .http_status = http_status,
                        .message = message,
                        .times = testing::Fault::kAlways,
                        .skip = allowed});
  }

  // ---- JSON texts ----

  static void merge(Json& object, std::string_view patch) {
    testing::merge_patch(object, Json::must(patch));
  }
  static std::string reference(std::string_view name, std::string_view uid) {
    return owner("ReplicaSet", name, uid) + "}";
  }
  static std::string controller(std::string_view kind, std::string_view name,
                                std::string_view uid) {
    return owner(kind, name, uid) + R"(,"controller":true})";
  }

  // ---- The server's state ----

  [[nodiscard]] Json set(const std::string& name = "rs") const {
    return cluster_.json<ReplicaSet>({"ns", name});
  }
  [[nodiscard]] Json pod(const std::string& name) const { return cluster_.json<Pod>({"ns", name}); }
  [[nodiscard]] bool has_pod(const std::string& name) {
    return cluster_.find<Pod>({"ns", name}).has_value();
  }
  [[nodiscard]] std::vector<std::string> pod_names();
  [[nodiscard]] std::vector<Json> pods();
  [[nodiscard]] static std::string text(const Json& json,
                                        std::initializer_list<std::string_view> path) {
    return json.text_at(path);
  }
  [[nodiscard]] static std::string controller_uid(const Json& pod);
  /// A counter of the set's status; nothing when it is absent.
  [[nodiscard]] std::optional<std::int64_t> status(std::string_view counter,
                                                   const std::string& name = "rs") const;
  [[nodiscard]] std::vector<Json> conditions() const;

  // ---- What the controller did ----

  /// "Normal SuccessfulCreate Created pod: rs-x", …
  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  [[nodiscard]] std::size_t requests(testing::Verb verb, std::string_view resource) const {
    return cluster_.requests_of(verb, resource).size();
  }
  [[nodiscard]] std::size_t created() const { return requests(testing::Verb::kCreate, "pods"); }
  [[nodiscard]] std::size_t deleted() const { return requests(testing::Verb::kDelete, "pods"); }
  [[nodiscard]] std::size_t patched() const { return requests(testing::Verb::kPatch, "pods"); }
  [[nodiscard]] std::size_t status_writes() const {
    return cluster_.requests_of(testing::Verb::kPatch, "replicasets", "status").size();
  }

 private:
  static std::string owner(std::string_view kind, std::string_view name, std::string_view uid) {
    return R"({"apiVersion":"apps/v1","kind":")" + std::string(kind) + R"(","name":")" +
           std::string(name) + R"(","uid":")" + std::string(uid) + R"(")";
  }

  testing::Cluster cluster_;
  int touches_ = 0;
};

}  // namespace davit::replicas

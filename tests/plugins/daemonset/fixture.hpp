/// A DaemonSet controller in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/daemonset/daemon_set_controller.hpp"
#include "plugins/daemonset/note.hpp"

namespace davit::daemonset {

using Json = davit::testing::Json;

/// Objects are in the namespace "ns"; the set is called "ds", its pods have the label app=web. The
/// set is written through the API, so that the server counts its generations. Only tests
/// bind, start and end pods.
class DaemonSetTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "daemonset-controller";
  /// The controller's configuration: upstream's behaviour, which the rows describe.
  static constexpr std::string_view kWriteAtOnce = R"({"writeWindow":"0s"})";

  explicit DaemonSetTest(testing::ReadYourWrites guard = testing::ReadYourWrites::kOn)
      : cluster_({.note = note_text<declare>(), .read_your_writes = guard}) {}

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }
  [[nodiscard]] WallTime now() const { return cluster_.wall_now(); }

  // ---- The controller ----

  /// Starts it with filled caches, and runs nothing.
  void start_synced(std::string_view config = kWriteAtOnce);
  /// Starts it and waits until it is idle.
  void start(std::string_view config = kWriteAtOnce) {
    start_synced(config);
    run_until_idle();
  }
  void restart() {
    cluster_.stop(kController);
    start();
  }
  void run_until_idle() { cluster_.run_until_idle(); }
  void step() { ASSERT_TRUE(cluster_.run_one_sync()); }
  void advance(Duration duration) { cluster_.advance(duration); }

  // ---- Nodes ----

  /// Adds or replaces a node, changed by a JSON merge patch.
  void add_node(const std::string& name, std::string_view patch = "{}");
  /// n1, n2, …
  void add_nodes(int count);
  void edit_node(const std::string& name, std::string_view patch);
  void taint(const std::string& name, std::string_view key, std::string_view effect);
  void remove_node(const std::string& name);

  // ---- The set, as a user ----

  /// Creates a DaemonSet, changed by a JSON merge patch; returns its UID.
  std::string add_set(std::string_view patch = "{}");
  /// Changes it and waits until the controller is idle.
  void edit_set(std::string_view patch);
  /// The same, and nothing runs.
  void patch_set(std::string_view patch);
  void set_image(std::string_view image);
  /// A patch of the strategy RollingUpdate.
  static std::string rolling(std::string_view max_unavailable, std::string_view max_surge = "0");
  /// A change that no rule reads, so that the set is synced.
  void touch_set();

  // ---- Pods, as scheduler, kubelet and user ----

  /// Adds a pod without an owner, bound to a node and running, that matches the set.
  void add_pod(const std::string& name, const std::string& node, std::string_view patch = "{}");
  /// The same, owned by the set and of an earlier template.
  void add_own_pod(const std::string& name, const std::string& node, std::string_view patch = "{}");
  void edit_pod(const std::string& name, std::string_view patch);
  /// Binds each unbound pod to the node that its affinity names, and makes all run that do not;
  /// runs the controller.
  void bind_pods();
  /// The same, and makes them ready since now.
  void start_pods();
  void make_ready(const std::string& pod);
  void fail_pod(const std::string& pod) { edit_pod(pod, R"({"status":{"phase":"Failed"}})"); }
  /// Lets the pods go that are being deleted; runs the controller. Their number.
  std::size_t let_go();
  /// start_pods() and let_go() until nothing changes any more.
  void finish_rollout();
  void remove_pod(const std::string& name) { cluster_.remove<Pod>({"ns", name}); }

  // ---- The server's state ----

  [[nodiscard]] std::vector<std::string> pod_names();
  /// The pods for a node, terminating ones included.
  [[nodiscard]] std::vector<std::string> pods_on(std::string_view node);
  /// Those that are not terminating.
  [[nodiscard]] std::vector<std::string> staying_on(std::string_view node);
  /// The one of them; fails if it is not one.
  [[nodiscard]] std::string pod_on(std::string_view node);
  /// The nodes for which there is a pod that stays, in order; one that has several is there several
  /// times.
  [[nodiscard]] std::vector<std::string> nodes_with_pods();
  [[nodiscard]] std::vector<std::string> terminating();
  [[nodiscard]] Json pod(const std::string& name) const { return cluster_.json<Pod>({"ns", name}); }
  [[nodiscard]] bool has_pod(const std::string& name) {
    return cluster_.find<Pod>({"ns", name}).has_value();
  }
  [[nodiscard]] std::string image_of(const std::string& pod_name) const;
  [[nodiscard]] std::string hash_of(const std::string& pod_name) const;
  [[nodiscard]] static std::string controller_uid(const Json& object);
  [[nodiscard]] Json set(const std::string& name = "ds") const {
    return cluster_.json<DaemonSet>({"ns", name});
  }
  /// A counter of the set's status; 0 when it is absent.
  [[nodiscard]] std::int64_t status(std::string_view counter, const std::string& name = "ds") const;
  /// desired, current, misscheduled, ready, updated, available, unavailable.
  [[nodiscard]] std::vector<std::int64_t> counters(const std::string& name = "ds") const;
  /// The revisions of the namespace by number.
  [[nodiscard]] std::vector<Json> revisions();
  /// "1 <name>", … of all revisions.
  [[nodiscard]] std::vector<std::string> revision_names();
  /// The one with the highest number.
  [[nodiscard]] Json newest_revision() { return revisions().back(); }

  // ---- What the controller did ----

  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  [[nodiscard]] std::size_t events_of(std::string_view reason) const;
  [[nodiscard]] std::size_t requests(testing::Verb verb, std::string_view resource,
                                     std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }
  [[nodiscard]] std::size_t created() const { return requests(testing::Verb::kCreate, "pods"); }
  [[nodiscard]] std::size_t deleted() const { return requests(testing::Verb::kDelete, "pods"); }
  [[nodiscard]] std::size_t status_writes() const {
    return requests(testing::Verb::kPatch, "daemonsets", "status");
  }
  /// The next requests of pods beyond `allowed` are refused, always.
  void refuse_pods(testing::Verb verb, int allowed = 0, const std::string& message = "rejected");

  static void merge(Json& object, std::string_view patch) {
    testing::merge_patch(object, Json::must(patch));
  }
  static std::string controller(std::string_view kind, std::string_view name, std::string_view uid);

 private:
  /// A request of a user; fails the test unless the server accepts it.
  void send(const std::string& method, const std::string& target, const std::string& body);
  /// Merges a patch into each pod for which it returns one; their number.
  std::size_t edit_pods(const std::function<std::optional<std::string>(const Pod&)>& patch_of);

  testing::Cluster cluster_;
  int touches_ = 0;
};

}  // namespace davit::daemonset

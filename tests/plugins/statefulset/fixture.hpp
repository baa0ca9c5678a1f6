/// The controller of StatefulSets in the in-memory cluster, under the rights and projections of its
/// note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/history/controller_revision.hpp"
#include "plugins/statefulset/note.hpp"
#include "plugins/statefulset/stateful_set.hpp"
#include "plugins/statefulset/stateful_set_controller.hpp"

namespace davit::statefulset {

using Json = davit::testing::Json;
using testing::Fault;
using testing::Verb;
using namespace std::chrono_literals;

/// Objects are in the namespace "ns". The set is called "web" and selects app=x.
class StatefulSetTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "statefulset-controller";
  static constexpr std::string_view kParallel = R"({"spec":{"podManagementPolicy":"Parallel"}})";
  /// Pods are bound, so those that are deleted stay until finish() takes them away.
  static constexpr std::string_view kBound = R"({"spec":{"template":{"spec":{"nodeName":"n1"}}}})";
  /// A claim template "data".
  static constexpr std::string_view kClaims =
      R"({"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{
          "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}})";

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  void start(std::string_view config = "{}");
  void run() { cluster_.run_until_idle(); }

  // ---- Objects, as a user ----

  /// Adds the set, changed by JSON merge patches, and waits until idle; its UID.
  std::string add_set(int replicas, std::vector<std::string_view> patches = {});
  void edit_set(std::string_view patch);
  void scale(int replicas);
  void set_image(const std::string& image);
  /// Adds a pending pod with label app=x, changed by a JSON merge patch.
  void add_pod(const std::string& name, std::string_view patch = "{}");
  /// Adds one that belongs to the set with this UID.
  void add_owned_pod(const std::string& name, const std::string& uid,
                     std::string_view patch = "{}");
  void add_claim(const std::string& name, std::string_view patch = "{}");
  void delete_set();

  // ---- The kubelet ----

  /// The pod is Running and Ready from now on.
  void make_ready(const std::string& pod);
  void make_unready(const std::string& pod);
  void set_phase(const std::string& pod, std::string_view phase);
  /// Takes a pod that is being deleted away.
  void finish(const std::string& pod);
  /// Adds the set and makes its pods ready as they come.
  void add_ready_set(int replicas, std::vector<std::string_view> patches = {});
  /// Makes every pod ready that is not, until nothing changes.
  void make_all_ready();

  // ---- The server's state ----

  [[nodiscard]] Json set() const { return cluster_.json<StatefulSet>({"ns", "web"}); }
  [[nodiscard]] Json pod(const std::string& name) const { return cluster_.json<Pod>({"ns", name}); }
  [[nodiscard]] Json claim(const std::string& name) const {
    return cluster_.json<PersistentVolumeClaim>({"ns", name});
  }
  [[nodiscard]] std::vector<std::string> pod_names();
  [[nodiscard]] std::vector<std::string> claim_names();
  /// The names of the revisions, by number.
  [[nodiscard]] std::vector<std::string> revision_names();
  [[nodiscard]] bool is_being_deleted(const std::string& pod);
  [[nodiscard]] std::string revision_of(const std::string& pod) const;
  /// "StatefulSet web uid", one for each owner of a claim.
  [[nodiscard]] std::vector<std::string> owners_of(const std::string& claim) const;
  /// -1 if the status lacks it.
  [[nodiscard]] std::int64_t status(std::string_view counter) const;
  [[nodiscard]] std::string status_text(std::string_view member) const;

  // ---- What the controller did ----

  [[nodiscard]] std::vector<std::string> writes() const;
  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }

  testing::Cluster cluster_{{.note = note_text<declare>()}};
};

}  // namespace davit::statefulset

/// The controller of ReplicationControllers in the in-memory cluster, under the rights and
/// projections of its note. The rules that it shares with that of ReplicaSets have their tests in
/// tests/plugins/replicaset; these show that they hold here, and where the two differ.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/replicationcontroller/note.hpp"
#include "plugins/shared/replicas/replica_controller.hpp"

namespace davit::replicas {

using Json = davit::testing::Json;
using testing::Fault;
using testing::Verb;
using namespace std::chrono_literals;

/// Objects are in the namespace "ns"; the ReplicationController is called "rc".
class ReplicationControllerTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "replicationcontroller-controller";
  /// Upstream's behaviour, which the rows describe.
  static constexpr std::string_view kWriteAtOnce = R"({"writeWindow":"0s"})";

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  void start(std::string_view config = kWriteAtOnce);

  // ---- Objects, as a user ----

  /// Adds the ReplicationController with so many replicas, changed by a JSON merge patch; its UID.
  std::string add_rc(int replicas, std::string_view patch = "{}");
  void edit_rc(std::string_view patch);
  void scale(int replicas) { edit_rc(R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}"); }
  /// Adds a running pod with label a=1, changed by a JSON merge patch.
  void add_pod(const std::string& name, std::string_view patch = "{}");
  /// Adds one that belongs to the ReplicationController with this UID.
  void add_owned_pod(const std::string& name, const std::string& uid,
                     std::string_view patch = "{}");

  // ---- The server's state ----

  [[nodiscard]] Json rc() const { return cluster_.json<ReplicationController>({"ns", "rc"}); }
  [[nodiscard]] Json pod(const std::string& name) const { return cluster_.json<Pod>({"ns", name}); }
  /// Those that are not being deleted.
  [[nodiscard]] std::vector<std::string> pod_names();
  /// The UID of a pod's controller; "" without one.
  [[nodiscard]] static std::string controller_uid(const Json& pod);
  [[nodiscard]] std::optional<std::int64_t> status(std::string_view counter) const;
  /// "True FailedCreate" of ReplicaFailure; "" without the condition.
  [[nodiscard]] std::string failure() const;

  // ---- What the controller did ----

  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }

  testing::Cluster cluster_{{.note = note_text<replicationcontroller::declare>()}};
};

}  // namespace davit::replicas

/// The disruption controller in the in-memory cluster, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/disruption/disruption_controller.hpp"
#include "plugins/disruption/note.hpp"

namespace davit::disruption {

using testing::Fault;
using testing::Json;
using testing::PodBuilder;
using testing::Verb;
using namespace std::chrono_literals;

/// The subresources of a kind with a scale.
inline constexpr std::string_view kScale =
    R"({"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}})";

/// All in namespace "default". The budget "b" selects the pods with the label app=x.
class DisruptionTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "disruption-controller";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  void start();
  void run() { cluster_.run_until_idle(); }

  // ---- Objects ----

  /// Stores a budget, or a changed one. `bound` is JSON: R"("minAvailable":2)".
  void budget(std::string_view bound, const std::string& name = "b",
              std::string_view selector = R"({"matchLabels":{"app":"x"}})");
  [[nodiscard]] PodBuilder ready_pod(const std::string& name) const;
  /// `count` ready pods NAME-0, … that `owner` controls.
  template <typename View>
  void ready_pods(const std::string& name, int count, const View& owner) {
    for (int i = 0; i < count; ++i) {
      cluster_.add(ready_pod(name + "-" + std::to_string(i)).controlled_by(owner));
    }
  }
  /// The same without an owner.
  void ready_pods(const std::string& name, int count);
  /// A ready pod with a controller that need not exist.
  void pod_of(const std::string& api_version, const std::string& kind,
              const std::string& name = "p");
  ReplicaSet replica_set(const std::string& name, std::int64_t replicas);
  /// Defines widgets.example.com. `subresources` is JSON.
  void define_widgets(std::string_view subresources);
  /// Creates a Widget with so many replicas and gives its UID.
  std::string create_widget(int replicas);
  /// `count` ready pods of the Widget "w".
  void widget_pods(int count, const std::string& uid);
  /// An update of a pod that means nothing.
  void touch(const std::string& pod);
  testing::RawReply send(const std::string& method, const std::string& target,
                         const std::string& body,
                         const std::string& type = "application/json") const;
  /// As kubectl drain does.
  testing::RawReply evict(const std::string& pod) const;

  // ---- What is ----

  [[nodiscard]] Json read(const std::string& name = "b") const {
    return cluster_.json<PodDisruptionBudget>({"default", name});
  }
  /// "allowed healthy desired expected"
  [[nodiscard]] std::string numbers(const std::string& name = "b") const;
  [[nodiscard]] Json condition(const std::string& name = "b") const;
  /// "False SyncFailed some message"
  [[nodiscard]] std::string condition_text(const std::string& name = "b") const;
  /// The names in status.disruptedPods.
  [[nodiscard]] std::vector<std::string> disrupted() const;
  /// "get deployments/d/scale 200", …
  [[nodiscard]] std::vector<std::string> requests() const;
  [[nodiscard]] std::vector<std::string> writes() const;

  mutable testing::Cluster cluster_{{.note = note_text<disruption::declare>()}};
};

}  // namespace davit::disruption

/// The autoscaler in the in-memory cluster, under the rights of its note. Set-up A of
/// docs/spec/hpa.md, section 27; the metrics APIs are scripted.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/podautoscaler/note.hpp"

namespace davit::podautoscaler {

using testing::Fault;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

/// spec.replicas of anything with a scale.
class ReplicationController : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "replicationcontrollers", "ReplicationController"};
  using ObjectView::ObjectView;
};

/// All in namespace "default". The target is the ReplicationController "web" with the pods p1, ….
class AutoscalerTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "horizontal-pod-autoscaler-controller";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  // ---- The controller ----

  /// `more`: members of the configuration, after a comma.
  void start(const std::string& more = "");
  /// Period and window of the set-up, and more.
  [[nodiscard]] static std::string config(const std::string& more);
  /// Lets one period pass, or several.
  void periods(int count = 1) {
    for (int i = 0; i < count; ++i) cluster_.advance(2s);
  }
  /// target(), pods(), autoscaler() of utilization 100, and start().
  void set_up(int replicas, const std::vector<std::string>& usage, const std::string& spec = "");

  // ---- Objects ----

  void target(int replicas, const std::string& name = "web",
              const std::string& label = R"("app":"web")");
  /// As the spec has its replicas, but status.replicas differs.
  void counted(int replicas);
  /// A ready pod; `edit` changes it.
  void pod(const std::string& name, const std::function<void(Json&)>& edit = {});
  void pods(int count);
  /// `metrics`: JSON, a list. `spec`: further members, after a comma.
  void autoscaler(const std::string& metrics, const std::string& spec = "",
                  const std::string& name = "web", const std::string& target = "web");
  /// An entry about a resource. `target`: "utilization 100", "average 100Mi".
  [[nodiscard]] static std::string resource(const std::string& target,
                                            const std::string& name = "cpu");
  [[nodiscard]] static std::string pods_metric(const std::string& average,
                                               const std::string& selector = "");
  [[nodiscard]] static std::string object_metric(const std::string& target,
                                                 const std::string& described = "");
  [[nodiscard]] static std::string external_metric(const std::string& target,
                                                   const std::string& selector = "");

  // ---- The metrics APIs ----

  /// Thousandths of cpu of p1, …; "-": no value.
  void usage(const std::vector<std::string>& milli);
  /// The use of any resource by p1, ….
  void usage_of(const std::string& resource, const std::vector<std::string>& quantities);
  /// The response to the list of pod metrics.
  void pod_metrics(const std::string& body, int http_status = 200);
  /// hits of p1, …; custom.metrics.k8s.io is served from now on.
  void hits(const std::vector<std::string>& values);
  /// hits of one object, whose resource is `resource`.
  void object_hits(const std::string& value, const std::string& resource = "services");
  void external(const std::string& metric, const std::vector<std::string>& values);
  /// Answers every matching request so until another one takes its place.
  void answer(const std::string& id, const Fault& fault);
  /// A failure with a message, in the same way.
  void fail(const std::string& id, Fault fault) { answer(id, fault); }
  void unanswer(const std::string& id);
  void serve_custom_metrics(const std::string& version = "v1beta2");

  // ---- What is ----

  [[nodiscard]] int replicas(const std::string& name = "web") const;
  [[nodiscard]] Json status(const std::string& name = "web") const;
  /// "True Reason message"; empty if it is not there.
  [[nodiscard]] std::string condition(const std::string& type,
                                      const std::string& name = "web") const;
  /// status.currentMetrics as text.
  [[nodiscard]] std::string current_metrics(const std::string& name = "web") const;
  [[nodiscard]] std::vector<std::string> requests() const;
  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  /// The writes of scales.
  [[nodiscard]] std::size_t scale_writes() const;
  /// The query of the last request to a resource.
  [[nodiscard]] std::string query_of(const std::string& resource) const;
  testing::RawReply send(const std::string& method, const std::string& target,
                         const std::string& body) const;

  mutable testing::Cluster cluster_{{.note = note_text<podautoscaler::declare>()}};

 private:
  std::map<std::string, Fault> answers_;
};

}  // namespace davit::podautoscaler

/// The controllers of this plugin in the in-memory cluster, under the rights and projections of
/// their note.
#pragma once

#include <gtest/gtest.h>

#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/endpoint/note.hpp"

namespace davit::endpoint {

using Json = davit::testing::Json;

/// Objects are in the namespace "t". The Service is called "s" unless a test says otherwise and
/// selects app=a; a pod "p" has the UID "uid-p".
class EndpointTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kTriggerTime =
      "endpoints.kubernetes.io/last-change-trigger-time";
  /// The controllers' configuration: upstream's behaviour, which the rows describe.
  static constexpr std::string_view kWriteAtOnce = R"({"writeWindow":"0s"})";
  static constexpr const char* kEarly = "2024-05-01T10:00:00Z";
  static constexpr const char* kLater = "2024-05-01T11:30:00Z";

  explicit EndpointTest(testing::ReadYourWrites guard = testing::ReadYourWrites::kOn)
      : cluster_({.note = note_text<endpoint::declare>(), .read_your_writes = guard}) {}

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }
  [[nodiscard]] const testing::Cluster& cluster() const { return cluster_; }
  void run_until_idle() { cluster_.run_until_idle(); }
  void advance(Duration duration) { cluster_.advance(duration); }

  // ---- Objects, as a user ----

  /// Port http 80→8080, cluster address, IPv4, created at kEarly; changed by a JSON merge patch.
  void add_service(std::string_view patch = "{}", const std::string& name = "s");
  void edit_service(std::string_view patch, const std::string& name = "s") {
    cluster_.merge<Service>({"t", name}, patch);
  }
  /// A change that no rule reads.
  void touch_service(const std::string& name = "s");
  void remove_service(const std::string& name = "s") { cluster_.erase<Service>({"t", name}); }

  /// Running on n1, Ready since kEarly; changed by a JSON merge patch.
  void add_pod(const std::string& name, const std::string& ip, std::string_view patch = "{}");
  void edit_pod(const std::string& name, std::string_view patch) {
    cluster_.merge<Pod>({"t", name}, patch);
  }
  /// Status of the Ready condition, and since when.
  void set_ready(const std::string& pod, std::string_view status,
                 const std::string& since = kLater);
  /// Pods p0000, p0001, … with addresses 10.0.0.0, 10.0.0.1, …, 10.0.1.0, ….
  void add_pods(std::size_t first, std::size_t count, std::string_view patch = "{}");
  static std::string numbered(std::size_t number);
  /// The pod stays with a deletionTimestamp.
  void delete_pod(const std::string& name) { cluster_.remove<Pod>({"t", name}); }
  void erase_pod(const std::string& name) { cluster_.erase<Pod>({"t", name}); }

  // ---- JSON texts ----

  static constexpr std::string_view kNotReady =
      R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})";
  /// A pod patch: containers with these ports, as JSON.
  static std::string container_ports(const std::string& ports);
  /// A Service patch: these ports, as JSON.
  static std::string ports(const std::string& ports) {
    return R"({"spec":{"ports":[)" + ports + "]}}";
  }

  // ---- What became of it ----

  /// Each text once: the recorder counts those that repeat.
  [[nodiscard]] std::vector<std::string> events() const;
  [[nodiscard]] static std::string text(const Json& json,
                                        std::initializer_list<std::string_view> path) {
    return json.text_at(path);
  }
  /// The elements of an array; none when it is absent.
  [[nodiscard]] static std::vector<Json> items(const Json& json, std::string_view member);
  /// "http:8080/TCP", of each port in order.
  [[nodiscard]] static std::string ports_of(const Json& object);

 private:
  testing::Cluster cluster_;
  int touches_ = 0;
};

}  // namespace davit::endpoint

/// The controller in the in-memory cluster, under the rights of its note. Set-up B of
/// docs/spec/dra.md: the slice s1 with dev-1 to dev-4, and bound pods p1 to p4 with their claims.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/devicetaint/note.hpp"

namespace davit::devicetaint {

using testing::Fault;
using testing::Json;
using testing::RequestRecord;
using testing::Verb;
using namespace std::chrono_literals;

class DeviceTaintTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "device-taint-eviction-controller";
  static constexpr const char* kRules = R"({"deviceTaintRules":"on"})";
  static constexpr const char* kNow = "2024-05-01T12:00:00Z";
  static constexpr const char* kMarked = "Normal DeviceTaintManagerEviction Marking for deletion";
  static constexpr const char* kCalledOff = "Normal DeviceTaintManagerEviction Cancelling deletion";

  void SetUp() override {
    put_slice("s1", 1);
    for (int k = 1; k <= 4; ++k) {
      const std::string number = std::to_string(k);
      put_claim("c" + number, "dev-" + number, "p" + number);
      put_pod("p" + number, "c" + number);
    }
  }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  // ---- The controller ----

  void start(std::string_view config = kRules) {
    if (config == kRules) {  // The server has the kind.
      put_rule("known", "NoSchedule", "");
      cluster_.erase<Rule>({"", "known"});
    }
    ASSERT_TRUE(cluster_.start(kController, &DeviceTaints::open, config).ok());
    pass(1s);
    cluster_.clear_records();
  }
  template <typename Time>
  void pass(Time time) {
    cluster_.advance(time);
  }

  // ---- Objects ----

  /// `taints`: {device, taints} in JSON, for devices that have some.
  void put_slice(const std::string& name, int generation, const std::string& device = "",
                 const std::string& taints = "[]") {
    Json slice = Json::must(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
        "metadata":{"name":")" +
                            name + R"("},"spec":{"driver":"d.example.com","nodeName":"n1",
        "pool":{"name":"p","resourceSliceCount":1},"devices":[]}})");
    slice["spec"]["pool"]["generation"] = generation;
    for (int k = 1; k <= 4; ++k) {
      Json each = Json::must(R"({"name":"dev-)" + std::to_string(k) + R"("})");
      if (each.text_at({"name"}) == device) each["taints"] = Json::must(taints);
      slice["spec"]["devices"].push_back(each);
    }
    cluster_.add(slice);
  }
  static std::string taint(const std::string& effect = "NoExecute",
                           const std::string& added = kNow) {
    return R"([{"key":"k","value":"v","effect":")" + effect + R"(","timeAdded":")" + added +
           R"("}])";
  }
  void put_claim(const std::string& name, const std::string& device, const std::string& pod,
                 const std::string& tolerations = "[]") {
    cluster_.add(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" + name +
        R"(","namespace":"t"},"spec":{"devices":{}},"status":{"allocation":{
        "devices":{"results":[{"request":"r","driver":"d.example.com","pool":"p","device":")" +
        device + R"(","tolerations":)" + tolerations + R"(}]}},"reservedFor":[)" + consumer(pod) +
        "]}}");
  }
  static std::string consumer(const std::string& pod) {
    return R"({"resource":"pods","name":")" + pod + R"(","uid":"uid-)" + pod + R"("})";
  }
  void put_pod(const std::string& name, const std::string& claim, const std::string& node = "n1",
               const std::string& uid = "") {
    Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                          R"(","namespace":"t"},"spec":{"containers":[{"name":"c","image":"i"}],
        "resourceClaims":[{"name":"g","resourceClaimName":")" +
                          claim + R"("}]},"status":{"phase":"Running"}})");
    pod["metadata"]["uid"] = uid.empty() ? "uid-" + name : uid;
    if (!node.empty()) pod["spec"]["nodeName"] = node;
    cluster_.add(pod);
  }
  /// `selector`: the members of spec.deviceSelector; "-": there is none.
  void put_rule(const std::string& name, const std::string& effect, const std::string& selector,
                const std::string& added = kNow) {
    Json rule = Json::must(R"({"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule",
        "metadata":{"name":")" +
                           name + R"("},"spec":{"taint":{"key":"k","value":"v","effect":")" +
                           effect + R"(","timeAdded":")" + added + R"("}}})");
    if (selector != "-") rule["spec"]["deviceSelector"] = Json::must("{" + selector + "}");
    cluster_.add(rule);
  }
  void rule_of(const std::string& device, const std::string& effect = "NoExecute",
               const std::string& added = kNow) {
    put_rule("r", effect, R"("device":")" + device + "\"", added);
  }
  void merge_rule(const std::string& patch) { cluster_.merge<Rule>({"", "r"}, patch); }

  // ---- What is there ----

  [[nodiscard]] bool is_evicted(const std::string& pod) {
    const std::optional<Pod> found = cluster_.find<Pod>({"t", pod});
    return !found || found->is_being_deleted();
  }
  /// "True PodsPendingEviction: 1 pod …"
  [[nodiscard]] std::string condition(const std::string& rule = "r") {
    const Json json = cluster_.json<Rule>({"", rule});
    const Json* conditions = json.at({"status", "conditions"});
    if (conditions == nullptr || conditions->items().empty()) return "";
    const Json& first = conditions->items()[0];
    return first.text_at({"status"}) + " " + first.text_at({"reason"}) + ": " +
           first.text_at({"message"});
  }
  [[nodiscard]] std::size_t deletions() const {
    return cluster_.requests_of(Verb::kDelete, "pods").size();
  }
  [[nodiscard]] std::vector<RequestRecord> statuses() const {
    return cluster_.requests_of(Verb::kPatch, "devicetaintrules", "status");
  }
  [[nodiscard]] double counted(std::string_view metric) const {
    double out = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == metric) out += each.value;
    }
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<devicetaint::declare>()}};
};

}  // namespace davit::devicetaint

/// The controller in the in-memory cluster, under the rights of its note. Set-up A of
/// docs/spec/dra.md: namespace t, template t1 with one request r. The test is the scheduler.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/resourceclaim/note.hpp"

namespace davit::resourceclaim {

using testing::Fault;
using testing::Json;
using testing::RequestRecord;
using testing::Verb;
using namespace std::chrono_literals;

class ResourceClaimTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "resourceclaim-controller";
  static constexpr const char* kOn = R"({"workloadResourceClaims":"on"})";
  static constexpr const char* kSpec =
      R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}})";

  void SetUp() override { add_template(); }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  // ---- The controller ----

  void start(std::string_view config = "") {
    const Status started = cluster_.start(kController, &ResourceClaims::open, config);
    ASSERT_TRUE(started.ok()) << started.message();
    settle();
  }
  void restart(std::string_view config = "") {
    cluster_.stop(kController);
    cluster_.clear_records();
    start(config);
  }
  void settle() { cluster_.run_until_idle(); }

  // ---- Objects ----

  void add_template(std::string_view spec = kSpec) {
    cluster_.add(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
        "metadata":{"name":"t1","namespace":"t"},"spec":{"metadata":{"labels":{"a":"b"},
        "annotations":{"x":"y"}},"spec":)" +
                 std::string(spec) + "}}");
  }
  static std::string from_template(const std::string& entry = "g") {
    return R"({"name":")" + entry + R"(","resourceClaimTemplateName":"t1"})";
  }
  static std::string by_name(const std::string& claim, const std::string& entry = "s") {
    return R"({"name":")" + entry + R"(","resourceClaimName":")" + claim + R"("})";
  }
  /// `claims`: the entries of spec.resourceClaims.
  static Json pod(const std::string& name, const std::string& claims,
                  const std::string& node = "") {
    Json out = Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                          R"(","namespace":"t","uid":"uid-)" + name +
                          R"("},"spec":{"containers":[{"name":"c","image":"i"}],
                          "resourceClaims":[)" +
                          claims + R"(]},"status":{"phase":"Pending"}})");
    if (!node.empty()) out["spec"]["nodeName"] = node;
    return out;
  }
  void add_pod(const std::string& name, const std::string& claims, const std::string& node = "") {
    cluster_.add(pod(name, claims, node));
    settle();
  }
  void merge_pod(const std::string& name, std::string_view patch) {
    cluster_.merge<Pod>({"t", name}, patch);
    settle();
  }
  void finish(const std::string& name, const std::string& phase = "Succeeded") {
    merge_pod(name, R"({"status":{"phase":")" + phase + R"("}})");
  }
  void erase_pod(const std::string& name) {
    ASSERT_TRUE(cluster_.erase<Pod>({"t", name}));
    settle();
  }

  /// A claim without an owner.
  void add_claim(const std::string& name, std::string_view metadata = "{}") {
    Json claim = Json::must(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" + name +
        R"(","namespace":"t"},"spec":)" + kSpec + "}");
    testing::merge_patch(claim["metadata"], Json::must(metadata));
    cluster_.add(claim);
    settle();
  }
  void merge_claim(const std::string& name, std::string_view patch) {
    cluster_.merge<Claim>({"t", name}, patch);
  }
  /// As the scheduler does it; `consumers`: the entries of status.reservedFor.
  static std::string allocation(const std::string& consumers) {
    return R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]},
        "status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d.example.com",
        "pool":"p","device":"dev-1"}]}},"reservedFor":[)" +
           consumers + "]}}";
  }
  static std::string consumer(const std::string& pod, const std::string& uid = "") {
    return R"({"resource":"pods","name":")" + pod + R"(","uid":")" +
           (uid.empty() ? "uid-" + pod : uid) + R"("})";
  }
  void allocate(const std::string& claim, const std::string& consumers) {
    merge_claim(claim, allocation(consumers));
    settle();
  }
  /// An allocated claim without an owner.
  void add_allocated(const std::string& name, const std::string& consumers) {
    Json claim = Json::must(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" + name +
        R"(","namespace":"t"},"spec":)" + kSpec + "}");
    testing::merge_patch(claim, Json::must(allocation(consumers)));
    cluster_.add(claim);
    settle();
  }

  // ---- What is there ----

  [[nodiscard]] std::vector<std::string> claims() {
    std::vector<std::string> out;
    for (const Claim& each : cluster_.all<Claim>()) out.emplace_back(each.name());
    return out;
  }
  [[nodiscard]] bool has_claim(const std::string& name) {
    return cluster_.find<Claim>({"t", name}).has_value();
  }
  /// The claim that the pod's status names for the entry; "" for none.
  [[nodiscard]] std::string claim_of(const std::string& pod, const std::string& entry = "g") {
    return claim_in(cluster_.json<Pod>({"t", pod}), entry);
  }
  [[nodiscard]] static std::string claim_in(const Json& consumer, const std::string& entry) {
    const Json* statuses = consumer.at({"status", "resourceClaimStatuses"});
    if (statuses == nullptr) return "";
    for (const Json& each : statuses->items()) {
      if (each.text_at({"name"}) == entry) return each.text_at({"resourceClaimName"});
    }
    return "";
  }
  [[nodiscard]] Json claim(const std::string& name) { return cluster_.json<Claim>({"t", name}); }
  /// status.reservedFor; "" for none.
  [[nodiscard]] std::string consumers(const std::string& name) {
    const Json json = claim(name);
    const Json* found = json.at({"status", "reservedFor"});
    return found == nullptr ? "" : found->dump();
  }
  [[nodiscard]] bool is_allocated(const std::string& name) {
    return claim(name).at({"status", "allocation"}) != nullptr;
  }
  /// metadata.finalizers; "" for none.
  [[nodiscard]] std::string finalizers(const std::string& name) {
    const Json json = claim(name);
    const Json* found = json.at({"metadata", "finalizers"});
    return found == nullptr ? "" : found->dump();
  }

  // ---- What happened ----

  [[nodiscard]] std::size_t creates() const {
    return cluster_.requests_of(Verb::kCreate, "resourceclaims").size();
  }
  [[nodiscard]] std::vector<RequestRecord> applies() const {
    return cluster_.requests_of(Verb::kPatch, "pods", "status");
  }
  [[nodiscard]] std::vector<std::string> write_texts() const {
    std::vector<std::string> out;
    for (const RequestRecord& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] std::size_t live_reads() const {
    return cluster_.requests_of(Verb::kGet, "pods").size();
  }
  [[nodiscard]] double counted(const std::string& name,
                               const std::vector<std::string>& labels) const {
    double sum = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == name && each.labels == labels) sum += each.value;
    }
    return sum;
  }

  testing::Cluster cluster_{{.note = note_text<resourceclaim::declare>()}};
};

}  // namespace davit::resourceclaim

/// The controller in the in-memory cluster, under the rights of its note. Set-up of
/// docs/spec/nodeipam.md: four blocks, 10.244.0.0/24 to 10.244.3.0/24.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodeipam/note.hpp"

namespace davit::nodeipam {

using testing::Fault;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

class NodeIpamTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "node-ipam-controller";
  static constexpr const char* kRange = "10.244.0.0/22";
  static constexpr const char* kUsage = "node_ipam_controller_cidrset_usage_cidrs";
  static constexpr const char* kAllocations =
      "node_ipam_controller_cidrset_cidrs_allocations_total";
  static constexpr const char* kReleases = "node_ipam_controller_cidrset_cidrs_releases_total";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  // ---- The controller ----

  /// `more`: further members, after a comma.
  [[nodiscard]] static std::string config(std::string_view cluster, std::string_view more = "") {
    return R"({"allocateNodeCIDRs":true,"clusterCIDR":")" + std::string(cluster) + "\"" +
           std::string(more) + "}";
  }
  [[nodiscard]] Status try_start(const std::string& config) {
    return cluster_.start(kController, &NodeIpamController::open, config);
  }
  void start(std::string_view cluster = kRange, std::string_view more = "") {
    const Status started = try_start(config(cluster, more));
    ASSERT_TRUE(started.ok()) << started.message();
    settle();
  }
  void restart(std::string_view cluster = kRange) {
    cluster_.stop(kController);
    cluster_.clear_records();
    start(cluster);
  }
  /// Until all is quiet, and two seconds more.
  void settle() {
    cluster_.run_until_idle();
    cluster_.advance(2s);
  }

  // ---- Nodes ----

  /// `cidrs` in JSON; `metadata`: further members, after a comma.
  void put(const std::string& name, std::string_view cidrs = "[]", std::string_view metadata = "") {
    Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                           "\"" + std::string(metadata) + R"(},"spec":{}})");
    // The server derives podCIDR.
    if (cidrs != "[]") node["spec"]["podCIDRs"] = Json::must(cidrs);
    cluster_.add(node);
  }
  void add(const std::string& name, std::string_view cidrs = "[]") {
    put(name, cidrs);
    settle();
  }
  void add_all(std::initializer_list<const char*> names) {
    for (const char* each : names) add(each);
  }
  void remove(const std::string& name) {
    cluster_.remove<Node>({"", name});
    settle();
  }
  /// spec.podCIDRs with commas between.
  [[nodiscard]] std::string cidrs(const std::string& name) {
    std::string out;
    const std::optional<Node> node = cluster_.find<Node>({"", name});
    if (!node) return "gone";
    for (const Value each : node->spec()["podCIDRs"].elements()) {
      out += (out.empty() ? "" : ",") + std::string(each.string());
    }
    return out;
  }
  [[nodiscard]] std::string first_cidr(const std::string& name) {
    return std::string(cluster_.find<Node>({"", name})->spec()["podCIDR"].string());
  }
  /// Every CIDR of every Node is that of one Node only.
  void expect_distinct() {
    std::set<std::string> seen;
    for (const Node& node : cluster_.all<Node>()) {
      for (const Value each : node.spec()["podCIDRs"].elements()) {
        EXPECT_TRUE(seen.emplace(each.string()).second)
            << each.string() << " is given twice, also to " << node.name();
      }
    }
  }

  // ---- What happened ----

  [[nodiscard]] std::vector<testing::RequestRecord> patches() const {
    return cluster_.requests_of(Verb::kPatch, "nodes");
  }
  /// The samples of a metric, of one cluster CIDR.
  [[nodiscard]] std::vector<double> samples(std::string_view name,
                                            std::string_view cluster = kRange) const {
    std::vector<double> out;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == name && each.labels == std::vector<std::string>{std::string(cluster)}) {
        out.push_back(each.value);
      }
    }
    return out;
  }
  [[nodiscard]] double usage(std::string_view cluster = kRange) const {
    const std::vector<double> all = samples(kUsage, cluster);
    return all.empty() ? -1 : all.back();
  }
  [[nodiscard]] double total(std::string_view name) const {
    double out = 0;
    for (const double each : samples(name)) out += each;
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<nodeipam::declare>()}};
};

}  // namespace davit::nodeipam

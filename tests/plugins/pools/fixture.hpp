/// A cluster with the service controller and the pools. Set-up of docs/spec/cloud.md, `pools`: the
/// pool `lan` has three addresses, 192.168.1.200 to 192.168.1.202.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cloud/note.hpp"
#include "plugins/pools/note.hpp"

namespace davit::pools {

using testing::Cluster;
using testing::Fault;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

inline constexpr std::string_view kLan =
    R"({"name":"lan","addresses":["192.168.1.200-192.168.1.202"]})";

/// The loop's own note, and the row of the provider.
constexpr void declare_with_loop(Note& note) {
  cloud::declare(note);
  declare_provider(note);
}

class PoolsFixture : public ::testing::Test {
 protected:
  static constexpr const char* kLoop = "service-lb-controller";
  static constexpr const char* kPools = "pools";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  // ---- The controllers

  /// `pools`: objects with commas between; `more`: further members, with a comma after each.
  [[nodiscard]] static std::string config(std::string_view pools, std::string_view more = "") {
    return "{" + std::string(more) + R"("pools":[)" + std::string(pools) + "]}";
  }
  [[nodiscard]] Status try_start(const std::string& config) {
    return cluster_.start(kPools, &PoolsController::open, config);
  }
  void start(std::string_view pools = kLan, std::string_view more = "") {
    add_node("n1");
    const Status started = try_start(config(pools, more));
    ASSERT_TRUE(started.ok()) << started.message();
    ASSERT_TRUE(cluster_.start(kLoop, &cloud::ServiceLbController::open).ok());
    rest();
  }
  void stop() {
    cluster_.stop(kLoop);
    cluster_.stop(kPools);
    cluster_.clear_records();
  }
  void restart(std::string_view pools = kLan, std::string_view more = "") {
    stop();
    start(pools, more);
  }
  [[nodiscard]] Status reload(std::string_view pools, std::string_view more = "") {
    cluster_.clear_records();
    Status out = cluster_.configure(kPools, config(pools, more));
    rest();
    return out;
  }
  /// Until all is quiet, and a second more.
  void rest() {
    cluster_.run_until_idle();
    cluster_.advance(1s);
  }

  void add_node(const std::string& name) {
    cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                            R"("},"spec":{}})"));
  }

  // ---- Services

  /// `spec` and `metadata`: further members, after a comma.
  void put(const std::string& name, std::string_view spec = "", std::string_view metadata = "",
           const std::string& ns = "default") {
    const bool has_ports = spec.find(R"("ports")") != spec.npos;
    cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")" + name +
                            R"(","namespace":")" + ns + "\"" + std::string(metadata) +
                            R"(},"spec":{"type":"LoadBalancer")" + (has_ports ? "" : ports("80")) +
                            std::string(spec) + "}}"));
  }
  void add(const std::string& name, std::string_view spec = "", std::string_view metadata = "",
           const std::string& ns = "default") {
    put(name, spec, metadata, ns);
    rest();
  }
  /// `annotations`: members, with commas between.
  void add_with(const std::string& name, std::string_view annotations, std::string_view spec = "",
                const std::string& ns = "default") {
    add(name, spec, R"(,"annotations":{)" + std::string(annotations) + "}", ns);
  }
  /// One with a sharing key and a port, such as "443" and "TCP".
  void add_sharing(const std::string& name, const std::string& port, const std::string& protocol,
                   std::string_view spec = "") {
    add_with(name, R"("davit.dev/sharing-key":"k")", ports(port, protocol) + std::string(spec));
  }
  [[nodiscard]] static std::string ports(const std::string& port,
                                         const std::string& protocol = "TCP") {
    return R"(,"ports":[{"name":"p","port":)" + port + R"(,"protocol":")" + protocol + "\"}]";
  }
  void change(const std::string& name, std::string_view patch, const std::string& ns = "default") {
    cluster_.merge<Service>({ns, name}, patch);
    rest();
  }
  void annotate(const std::string& name, const std::string& key, const std::string& value) {
    change(name, R"({"metadata":{"annotations":{")" + key + R"(":")" + value + "\"}}}");
  }
  void remove(const std::string& name, const std::string& ns = "default") {
    cluster_.remove<Service>({ns, name});
    rest();
  }
  /// The addresses that its status shows, with commas between; "-": nothing.
  [[nodiscard]] std::string ip(const std::string& name, const std::string& ns = "default") {
    const std::optional<Service> service = cluster_.find<Service>({ns, name});
    if (!service) return "gone";
    std::string out;
    for (const Value each : service->status()["loadBalancer"]["ingress"].elements()) {
      out += (out.empty() ? "" : ",") + std::string(each[&Names::ip].string());
    }
    return out.empty() ? "-" : out;
  }

  // ---- What happened

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> out;
    for (const std::string& each : cluster_.event_texts()) {
      if (each.starts_with("Warning")) out.push_back(each);
    }
    return out;
  }
  /// The text of a failed ensure as its Event has it.
  [[nodiscard]] static std::string failure(const std::string& text) {
    return "Warning SyncLoadBalancerFailed Error syncing load balancer: failed to ensure load "
           "balancer: " +
           text;
  }
  /// The last value of a metric, of these labels.
  [[nodiscard]] double metric(std::string_view name,
                              const std::vector<std::string>& labels = {}) const {
    double out = -1;
    for (const auto& each : cluster_.metrics()) {
      if (each.name == name && each.labels == labels) out = each.value;
    }
    return out;
  }

  Cluster cluster_{{.note = note_text<declare_with_loop>()}};
};

}  // namespace davit::pools

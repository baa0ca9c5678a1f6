/// A cluster with a scripted provider of machines and routes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <davit/cloud.hpp>
#include <davit/testing/cluster.hpp>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/cloud/note.hpp"

namespace davit::cloud {

using testing::Fault;
using testing::Json;
using testing::Verb;

inline constexpr std::string_view kMachines = "machines";

/// The calls of the scripted provider of machines, and its answers.
struct MachineScript {
  std::vector<std::string> calls{};  ///< "exists n1", "create 10.244.1.0/24 n1", …
  std::vector<Time> times{};         ///< The times of the calls.
  std::vector<std::string> hints{};  ///< Those of routes to create.
  /// The answers of each function ("exists", "create", …), one by one; then the default.
  std::map<std::string, std::deque<CloudReply>> answers{};
  std::map<std::string, CloudReply> usual{
      {"exists", CloudReply::yes()},    {"shutdown", CloudReply::done()},
      {"metadata", CloudReply::done()}, {"list", CloudReply::done()},
      {"create", CloudReply::done()},   {"remove", CloudReply::done()},
  };
  std::vector<CloudRoute> routes{};  ///< Those of the cloud; the calls that succeed change them.
  bool follows_addresses = false;    ///< A created route has it.
  std::function<void(const std::string& call)> during{};
  bool has_instances = true;
  bool has_routes = true;
};
inline MachineScript machines;  // NOLINT: the provider's factory has no other way to it.

class ScriptedMachines final : public Controller,
                               public CloudProvider,
                               private Instances,
                               private Routes {
 public:
  explicit ScriptedMachines(Context& context)
      : context_(context),
        host_(context),
        queue_(context.open_queue({}, [this](const Key& key) { return again(key); })),
        nodes_(context.open_informer<Node>({.updated = [this](const Node&, const Node& node) {
          const auto key = node.annotation("again");
          if (key) queue_.add(Key::parse(*key));
        }})) {}

  Instances* instances() override { return machines.has_instances ? this : nullptr; }
  Routes* routes() override { return machines.has_routes ? this : nullptr; }

 private:
  Result<Again> again(const Key& key) {
    if (key.name == "routes") {
      host_.routes_again();
    } else {
      host_.nodes_again(key.name == "all" ? "" : key.name);
    }
    return Again::when_changed();
  }
  CloudReply answer(const std::string& function, const std::string& rest) {
    const std::string call = function + (rest.empty() ? "" : " ") + rest;
    machines.calls.push_back(call);
    machines.times.push_back(context_.now());
    if (machines.during) machines.during(call);
    std::deque<CloudReply>& next = machines.answers[function];
    if (next.empty()) return machines.usual[function];
    CloudReply reply = next.front();
    next.pop_front();
    return reply;
  }
  CloudReply exists(const Node& node) override {
    return answer("exists", std::string(node.name()));
  }
  CloudReply shutdown(const Node& node) override {
    return answer("shutdown", std::string(node.name()));
  }
  CloudReply metadata(const Node& node) override {
    return answer("metadata", std::string(node.name()));
  }
  CloudReply list(std::string_view cluster) override {
    EXPECT_EQ(cluster, "kubernetes");
    CloudReply reply = answer("list", "");
    return reply.status.ok() ? CloudReply::with(machines.routes) : reply;
  }
  CloudReply create(const CloudRouteCall& at) override {
    machines.hints.emplace_back(at.name_hint);
    CloudReply reply = answer("create", at.route.destination + " " + at.route.node);
    if (!reply.status.ok()) return reply;
    machines.routes.push_back(at.route);
    machines.routes.back().follows_addresses = machines.follows_addresses;
    return reply;
  }
  CloudReply remove(const CloudRouteCall& at) override {
    CloudReply reply = answer("remove", at.route.destination + " " + at.route.node);
    if (!reply.status.ok()) return reply;
    std::erase_if(machines.routes, [&](const CloudRoute& each) {
      return each.destination == at.route.destination && each.node == at.route.node;
    });
    return reply;
  }

  Context& context_;
  CloudHost host_;
  Queue queue_;
  Informer<Node> nodes_;
};

/// The loops' own note, and the row of the provider.
constexpr void declare_with_machines(Note& note) {
  declare(note);
  note.controller({.name = "machines", .factory = &make<ScriptedMachines>})
      .watch<Node>({"metadata", "spec.providerID", "status.addresses"});
}

/// The provider and no loop. Nodes are Ready unless a test says otherwise.
class MachineFixture : public ::testing::Test {
 protected:
  MachineFixture() { machines = MachineScript(); }
  ~MachineFixture() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  [[nodiscard]] Status try_start(std::string_view loop,
                                 const std::function<InitResult(Context&)>& factory,
                                 std::string_view config = {}) {
    EXPECT_TRUE(cluster_.start(kMachines, &make<ScriptedMachines>).ok());
    return cluster_.start(loop, factory, config);
  }
  void start(std::string_view loop, const std::function<InitResult(Context&)>& factory,
             std::string_view config = {}) {
    const Status started = try_start(loop, factory, config);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }
  void advance(Duration time) { cluster_.advance(time); }
  void clear() {
    machines.calls.clear();
    machines.times.clear();
    cluster_.clear_records();
  }

  /// Adds a Node with the members of `patch`.
  void add_node(const std::string& name, std::string_view patch = "{}") {
    testing::Json node = testing::Json::must(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
        R"("},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
    testing::merge_patch(node, testing::Json::must(patch));
    cluster_.add(node);
    cluster_.run_until_idle();
  }
  void change_node(const std::string& name, std::string_view patch) {
    cluster_.merge<Node>({"", name}, patch);
    cluster_.run_until_idle();
  }
  void remove_node(const std::string& name) {
    cluster_.erase<Node>({"", name});
    cluster_.run_until_idle();
  }
  [[nodiscard]] bool exists(const std::string& name) {
    return cluster_.find<Node>({"", name}).has_value();
  }
  [[nodiscard]] Node node(const std::string& name) { return *cluster_.find<Node>({"", name}); }
  [[nodiscard]] std::string taints(const std::string& name) { return node(name).taints().json(); }
  [[nodiscard]] std::string addresses(const std::string& name) {
    std::string out;
    for (const CloudAddress& each : read_addresses(node(name).status()["addresses"])) {
      out += (out.empty() ? "" : " ") + each.type + "=" + each.address;
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> write_texts() const {
    std::vector<std::string> out;
    for (const auto& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] double metric(std::string_view name) const {
    double out = 0;
    for (const auto& each : cluster_.metrics()) out += each.name == name ? each.value : 0;
    return out;
  }
  [[nodiscard]] std::vector<std::string> log_texts() const {
    std::vector<std::string> out;
    for (const auto& each : cluster_.log()) {
      std::string text = each.message;
      for (const auto& field : each.fields) text += " " + field.first + "=" + field.second;
      out.push_back(text);
    }
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<declare_with_machines>()}};
};

}  // namespace davit::cloud

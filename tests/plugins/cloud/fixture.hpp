/// A cluster with the service controller and a scripted provider.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <davit/cloud.hpp>
#include <davit/testing/cluster.hpp>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/cloud/note.hpp"
#include "plugins/cloud/service_rules.hpp"

namespace davit::cloud {

using testing::Cluster;
using testing::Fault;
using testing::Json;
using testing::Verb;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

inline constexpr std::string_view kLoop = "service-lb-controller";
inline constexpr std::string_view kProvider = "scripted";
inline constexpr std::string_view kAddress = R"({"ingress":[{"ip":"192.0.2.1"}]})";

/// A failure that says nothing of whether the load balancer exists.
inline const CloudReply kFails = CloudReply::failed(Status(Code::kUnavailable, "no quota"));

/// The calls of the scripted provider, and its answers.
struct Script {
  std::vector<std::string> calls{};  ///< "ensure default/s n1,n2"
  std::vector<Time> times{};         ///< The times of the calls.
  /// The answers of each function ("get", "ensure", …), one by one; then the default.
  std::map<std::string, std::deque<CloudReply>> answers{};
  /// The defaults.
  std::map<std::string, CloudReply> usual{{"get", CloudReply::done(std::string(kAddress))},
                                          {"ensure", CloudReply::done(std::string(kAddress))},
                                          {"update", CloudReply::done()},
                                          {"remove", CloudReply::done()}};
  std::function<void(const std::string& call)> during{};
  bool offers = true;
  LoadBalancerClasses classes{};
  bool reads_undeclared = false;
  bool opens_waker = false;      ///< For threads that are not the host's.
  std::optional<Waker> waker{};  ///< Its keys are looked at again.
};
inline Script script;  // NOLINT: the provider's factory has no other way to it.

class ScriptedProvider final : public Controller, public CloudProvider, private LoadBalancers {
 public:
  explicit ScriptedProvider(Context& context)
      : context_(context),
        host_(context),
        queue_(context.open_queue({},
                                  [this](const Key& key) {
                                    host_.services_again(key);
                                    return Result<Again>(Again::when_changed());
                                  })),
        services_(context.open_informer<Service>()),
        nodes_(context.open_informer<Node>({.updated = [this](const Node&, const Node& node) {
          const auto key = node.annotation("again");
          if (key) queue_.add(Key::parse(*key));
        }})) {
    if (script.opens_waker) script.waker = *context.open_waker(queue_);
  }

  LoadBalancers* load_balancers() override { return script.offers ? this : nullptr; }
  LoadBalancerClasses classes() const override { return script.classes; }

 private:
  CloudReply answer(const std::string& function, const CloudService& at,
                    const std::vector<std::string>& nodes = {}) {
    EXPECT_EQ(at.cluster, "kubernetes");
    std::string call = function + " " + at.service.key().text();
    for (std::size_t i = 0; i < nodes.size(); ++i) call += (i == 0 ? " " : ",") + nodes[i];
    script.calls.push_back(call);
    script.times.push_back(context_.now());
    if (script.reads_undeclared) static_cast<void>(at.service.spec()["clusterIP"].string());
    if (script.during) script.during(call);
    std::deque<CloudReply>& next = script.answers[function];
    if (next.empty()) return script.usual[function];
    CloudReply reply = next.front();
    next.pop_front();
    return reply;
  }
  static std::vector<std::string> names(std::span<const Node> nodes) {
    std::vector<std::string> out;
    for (const Node& each : nodes) out.emplace_back(each.name());
    return out;
  }
  CloudReply get(const CloudService& at) override { return answer("get", at); }
  CloudReply ensure(const CloudService& at, std::span<const Node> nodes) override {
    return answer("ensure", at, names(nodes));
  }
  CloudReply update(const CloudService& at, std::span<const Node> nodes) override {
    return answer("update", at, names(nodes));
  }
  CloudReply remove(const CloudService& at) override { return answer("remove", at); }

  Context& context_;
  CloudHost host_;
  Queue queue_;
  Informer<Service> services_;
  Informer<Node> nodes_;
};

/// The loops' own note, and the row of the provider.
constexpr void declare_with_provider(Note& note) {
  declare(note);
  note.controller({.name = "scripted", .factory = &make<ScriptedProvider>})
      .watch<Service>({"metadata", "spec.type", "spec.ports"})
      .watch<Node>({"metadata", "spec.providerID"});
  note.controller({.name = "second", .factory = &make<ScriptedProvider>})
      .watch<Service>({"metadata"})
      .watch<Node>({"metadata"});
}

/// Two Nodes, n1 and n2, the provider and the loop, and no Service.
class CloudFixture : public ::testing::Test {
 protected:
  CloudFixture() { script = Script(); }
  ~CloudFixture() override {
    if (misbehaves_) return;
    EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
  }

  void begin() {
    add_node("n1");
    add_node("n2");
    start();
  }
  void start() {
    ASSERT_TRUE(cluster_.start(kProvider, &make<ScriptedProvider>).ok());
    ASSERT_TRUE(cluster_.start(kLoop, &ServiceLbController::open).ok());
    cluster_.run_until_idle();
  }
  void restart() {
    cluster_.stop(kLoop);
    cluster_.stop(kProvider);
    clear();
    start();
  }
  /// begin(), and a Service whose load balancer is there.
  void begin_with_service() {
    begin();
    add_service();
    clear();
  }
  void clear() {
    script.calls.clear();
    script.times.clear();
    cluster_.clear_records();
  }

  // ---- Objects

  void add_node(const std::string& name) {
    cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                            R"("},"spec":{}})"));
    cluster_.run_until_idle();
  }
  /// `spec`: further members, with a comma after each.
  void add_service(const std::string& name = "s", const std::string& spec = "") {
    cluster_.add(
        Json::must(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")" + name +
                   R"(","namespace":"default"},"spec":{)" + spec +
                   R"("type":"LoadBalancer","selector":{"app":"web"},)"
                   R"("ports":[{"name":"http","port":80,"protocol":"TCP","nodePort":30080}]}})"));
    cluster_.run_until_idle();
  }
  void change(std::string_view patch) {
    cluster_.merge<Service>({"default", "s"}, patch);
    cluster_.run_until_idle();
  }
  void change_node(const std::string& name, std::string_view patch) {
    cluster_.merge<Node>({"", name}, patch);
    cluster_.run_until_idle();
  }
  void remove_service() {
    cluster_.remove<Service>({"default", "s"});
    cluster_.run_until_idle();
  }
  [[nodiscard]] bool exists() { return cluster_.find<Service>({"default", "s"}).has_value(); }
  [[nodiscard]] bool has_finalizer() {
    return cluster_.find<Service>({"default", "s"})->has_finalizer(kCleanupFinalizer);
  }
  [[nodiscard]] std::string ingress() {
    return cluster_.find<Service>({"default", "s"})->status()["loadBalancer"]["ingress"].json();
  }

  // ---- What happened

  [[nodiscard]] std::vector<std::string> patches() const {
    std::vector<std::string> out;
    for (const auto& each : cluster_.requests_of(Verb::kPatch, "services", "status")) {
      out.push_back(each.body);
    }
    return out;
  }
  [[nodiscard]] double total(std::string_view metric) const {
    double out = 0;
    for (const auto& each : cluster_.metrics()) out += each.name == metric ? each.value : 0;
    return out;
  }

  bool misbehaves_ = false;  // The provider, on purpose.
  Cluster cluster_{{.note = note_text<declare_with_provider>()}};
};

}  // namespace davit::cloud

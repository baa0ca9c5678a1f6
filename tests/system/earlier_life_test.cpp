// A host without leader election: an earlier life of its process may have written a moment ago.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/faults/fault_layer.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

constexpr char kPods[] = "/api/v1/namespaces/default/pods";
constexpr char kSets[] = "/apis/apps/v1/namespaces/default/replicasets";
constexpr char kSet[] = R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},
    "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{
    "metadata":{"labels":{"app":"web"}},
    "spec":{"containers":[{"name":"web","image":"web:1"}]}}}})";
/// A server without streaming lists, whose cache lags: the first list of pods is as old as the
/// rule, and watches show nothing further for a while.
constexpr char kLaggingServer[] = R"({"rules":[
    {"fault":"status","code":422,"count":1,"target":{"verb":"watch","resource":"pods"}},
    {"fault":"stale","count":1,"target":{"verb":"list","resource":"pods"}},
    {"fault":"hold","for":"3s","target":{"verb":"watch","resource":"pods"}},
    {"fault":"delay","delay":"1ms","target":{"verb":"create","resource":"pods"}}]})";

/// A cluster behind a layer of faults, without nodes, and a host at work on it.
class EarlierLifeTest : public testing::Test, protected WholeHost {
 protected:
  ~EarlierLifeTest() override { stop(); }

  Json ask(const std::string& method, const std::string& target, const std::string& body = "") {
    HttpServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body;
    const HttpServerResponse response = faults_.handle(request);
    EXPECT_LT(response.status, 300) << response.body;
    return json_literal(response.body);
  }
  /// As an earlier life of the host made it.
  void create_pod(const std::string& name, const std::string& owner_uid) {
    ask("POST", kPods,
        R"({"metadata":{"name":")" + name +
            R"(","labels":{"app":"web"},"ownerReferences":[{"apiVersion":"apps/v1",
            "kind":"ReplicaSet","name":"web","controller":true,"uid":")" +
            owner_uid + R"("}]},"spec":{"containers":[{"name":"web","image":"web:1"}]}})");
  }
  [[nodiscard]] bool is_status_written() {
    const Json set = ask("GET", std::string(kSets) + "/web");
    return set.get("status").get("replicas").integer_or(0) > 0;
  }

  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingLogSink log_;
  sandbox::Store store_{*clock_};
  const std::unique_ptr<sandbox::ApiServer> server_ =
      *sandbox::ApiServer::open({store_, *clock_, *random_, Logger(log_)});
  sandbox::FaultLayer faults_{{.inner = *server_, .store = store_, .clock = *clock_}, 1};
  const std::unique_ptr<sandbox::InProcessTransport> way_ =
      *sandbox::InProcessTransport::open(faults_, *clock_);
};

// Issue 30, 1.5.
TEST_F(EarlierLifeTest, PodsThatTheFirstListDoesNotShowAreNotMadeTwice) {
  const std::string uid = ask("POST", kSets, kSet).text_at({"metadata", "uid"});
  ask("POST", std::string(sandbox::kFaultsPath), kLaggingServer);
  for (const char* name : {"web-a", "web-b", "web-c"}) create_pod(name, uid);

  start({.directories = {DAVIT_REPLICASET_DIRECTORY}, .controllers = {"replicaset-controller"}},
        way_.get());

  const auto end = clock_->now() + std::chrono::minutes(2);
  while (!is_status_written() && clock_->now() < end) std::this_thread::yield();
  EXPECT_TRUE(is_status_written());
  // The pods that are left would not show those that were made and deleted as too many.
  const Json rules = ask("GET", std::string(sandbox::kFaultsPath));
  for (const Json& rule : rules.get("items").items()) {
    const std::int64_t hits = rule.get("hits").integer_or(0);
    if (rule.text_at({"fault"}) == "delay") {
      EXPECT_EQ(hits, 3) << "the host made pods";
    } else {
      EXPECT_GT(hits, 0) << "the server did not lag";
    }
  }
}

}  // namespace
}  // namespace davit::host

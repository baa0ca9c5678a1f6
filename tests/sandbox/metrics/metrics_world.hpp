/// A cluster with simulated nodes and metrics, in one process.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sandbox/metrics/metrics_api.hpp"
#include "tests/nodes/world.hpp"

namespace davit::sandbox {

class MetricsTest : public testing::Test {
 protected:
  static ApiServerOptions serving(MetricBoard& board) {
    ApiServerOptions options;
    options.metrics = &board;
    return options;
  }

  Reply get(const std::string& target) { return world.sandbox.get(target); }
  /// Adds a rule and returns its id.
  std::string add(const std::string& rule) {
    const Reply reply = world.sandbox.post("/sandbox/metrics", rule);
    EXPECT_EQ(reply.code, 201) << reply.text;
    return reply.code == 201 ? reply.body.get("items").items().front().text_at({"id"}) : "";
  }
  /// "web-1 250m 64Mi, …" of a list of PodMetrics; of several containers "c=250m/64Mi+d=…".
  std::string pods(const std::string& query = "") {
    const Reply reply = get("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods" + query);
    EXPECT_EQ(reply.code, 200) << reply.text;
    std::string out;
    for (const Json& each : reply.body.get("items").items()) {
      out += (out.empty() ? "" : ", ") + each.text_at({"metadata", "name"});
      for (const Json& container : each.get("containers").items()) {
        out += ' ' + container.text_at({"name"}) + '=' + container.text_at({"usage", "cpu"}) + '/' +
               container.text_at({"usage", "memory"});
      }
    }
    return out;
  }
  /// A Running pod that no node runs, with one container `c`.
  void put_pod(const std::string& name, const std::string& labels = "") {
    EXPECT_EQ(world.sandbox
                  .post("/api/v1/namespaces/default/pods",
                        R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels +
                            R"(}},"spec":{"containers":[{"name":"c","image":"i","resources":{)"
                            R"("requests":{"cpu":"100m","memory":"100Mi"}}}]}})")
                  .code,
              201);
    EXPECT_EQ(world.sandbox
                  .patch("/api/v1/namespaces/default/pods/" + name + "/status", "merge",
                         R"({"status":{"phase":"Running","conditions":[)"
                         R"({"type":"Ready","status":"True"}]}})")
                  .code,
              200);
  }

  MetricBoard board;
  World world{two_nodes(), serving(board)};
};

inline constexpr char kPodsOfDefault[] = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";

}  // namespace davit::sandbox

/// An API server with its controllers on a clock that the test moves.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/controllers/controllers.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::sandbox {

class Cluster {
 public:
  explicit Cluster(ControllerOptions options = {})
      : server_(open()),
        controllers_({store, *server_, clock, [this] { return server_->resources(); }}, options) {
    step();
  }

  HttpServerResponse call(std::string method, std::string target, std::string body = "") {
    HttpServerRequest request;
    request.headers = {
        {"Content-Type", method == "PATCH" ? "application/merge-patch+json" : "application/json"}};
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return server_->handle(request);
  }
  /// The uid of what is made.
  std::string create(const std::string& path, const std::string& object) {
    const HttpServerResponse response = call("POST", path, object);
    EXPECT_EQ(response.status, 201) << response.body;
    return response.status == 201 ? json_literal(response.body).text_at({"metadata", "uid"}) : "";
  }
  /// A ConfigMap, whose owners are a list in JSON.
  std::string config_map(const std::string& name, const std::string& owners = "[]") {
    return create("/api/v1/namespaces/default/configmaps",
                  R"({"metadata":{"name":")" + name + R"(","ownerReferences":)" + owners + "}}");
  }
  /// The reference to a ConfigMap.
  static std::string owner(const std::string& name, const std::string& uid,
                           const std::string& blocks = "false") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + name + R"(","uid":")" + uid +
           R"(","blockOwnerDeletion":)" + blocks + "}";
  }
  void remove(const std::string& path, const std::string& policy) {
    const HttpServerResponse response =
        call("DELETE", path, R"({"propagationPolicy":")" + policy + R"("})");
    EXPECT_LT(response.status, 300) << response.body;
  }
  void remove_config_map(const std::string& name, const std::string& policy) {
    remove("/api/v1/namespaces/default/configmaps/" + name, policy);
  }
  /// Null when it is not there.
  Json get(const std::string& path) {
    const HttpServerResponse response = call("GET", path);
    return response.status == 200 ? json_literal(response.body) : Json();
  }
  /// The ConfigMaps of the namespace, in order.
  std::vector<std::string> config_maps(const std::string& ns = "default") const {
    std::vector<std::string> out;
    for (const VersionPtr& each : store.list({"", "configmaps"}, ns).objects) {
      out.push_back(each->name);
    }
    return out;
  }
  Time step() { return controllers_.step(clock.now()); }
  Controllers& controllers() { return controllers_; }
  HttpHandler& server() { return *server_; }
  std::shared_ptr<const ResourceSet> resources() const { return server_->resources(); }

  test::FakeClock clock;
  Store store{clock};

 private:
  std::unique_ptr<ApiServer> open() {
    auto opened = ApiServer::open({store, clock, *random_, Logger(log_)});
    EXPECT_TRUE(opened) << opened.error().message();
    return std::move(*opened);
  }

  test::RecordingLogSink log_;
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  const std::unique_ptr<ApiServer> server_;
  Controllers controllers_;
};

}  // namespace davit::sandbox

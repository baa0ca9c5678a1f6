/// A sandbox, its controllers, and a scripted server of an aggregated API, on one thread.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/aggregation/aggregation.hpp"
#include "sandbox/controllers/controllers.hpp"
#include "tests/sandbox/server/sandbox.hpp"
#include "tests/support/fake_transport.hpp"

namespace davit::sandbox {

inline constexpr const char* kToolsList =
    R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"tools.example.com/v1",)"
    R"("resources":[{"name":"hammers","singularName":"hammer","namespaced":true,"kind":"Hammer",)"
    R"("verbs":["get","list","watch"],"shortNames":["ha"]},{"name":"hammers/status",)"
    R"("namespaced":true,"kind":"Hammer","verbs":["get"]}]})";
inline constexpr const char* kHammers = "/apis/tools.example.com/v1/namespaces/default/hammers";

/// The server of tools.example.com/v1; it knows legacy discovery only.
inline test::ScriptedResponse tools_reply(const HttpRequest& request) {
  test::ScriptedResponse out;
  if (request.target == "/apis/tools.example.com/v1") {
    out.body = kToolsList;
  } else if (request.target == "/openapi/v3") {
    out.body = R"({"paths":{"apis/tools.example.com/v1":{"serverRelativeURL":)"
               R"("/openapi/v3/apis/tools.example.com/v1?hash=7"}}})";
  } else if (request.target.starts_with(kHammers)) {
    out.body = R"({"kind":"HammerList","items":[]})";
  } else {
    out.status = 404;
  }
  return out;
}

/// A raw connection, seen from its server.
struct FakeWire {
  std::string sent;   ///< To the server.
  std::string reply;  ///< Not yet read.
  bool server_ended = false;
  bool client_ended = false;
  bool is_full = false;
  bool closed = false;
  std::string fault = {};
  std::function<void()> ready = {};
};

class FakeByteConnection final : public ByteConnection {
 public:
  explicit FakeByteConnection(std::shared_ptr<FakeWire> wire) : wire_(std::move(wire)) {}
  ~FakeByteConnection() override { wire_->closed = true; }

  [[nodiscard]] State read(std::string& out, std::size_t) override {
    out += std::exchange(wire_->reply, "");
    return wire_->server_ended ? State::kEnded : State::kOpen;
  }
  void write(std::string_view bytes) override { wire_->sent += bytes; }
  [[nodiscard]] bool wants_more() const override { return !wire_->is_full; }
  void end() override { wire_->client_ended = true; }
  void on_ready(std::function<void()> ready) override { wire_->ready = std::move(ready); }
  [[nodiscard]] std::string fault() const override { return wire_->fault; }

 private:
  const std::shared_ptr<FakeWire> wire_;
};

/// Every server is the one scripted transport.
class FakeBackends final : public BackendConnector {
 public:
  [[nodiscard]] Result<std::unique_ptr<ByteConnection>> open(
      const BackendServer& server, const std::shared_ptr<const ClientCertificate>&,
      std::string first) override {
    const MutexLock lock(mutex_);
    servers.push_back(server);
    wires.push_back(std::make_shared<FakeWire>());
    wires.back()->sent = std::move(first);
    return std::unique_ptr<ByteConnection>(std::make_unique<FakeByteConnection>(wires.back()));
  }
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const BackendServer& server) override {
    const MutexLock lock(mutex_);
    servers.push_back(server);
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), &transport);
  }

  test::FakeTransport transport;
  std::vector<BackendServer> servers;
  std::vector<std::shared_ptr<FakeWire>> wires;

 private:
  Mutex mutex_;  // Each request connects on its thread.
};

class Aggregated {
 public:
  Aggregated() {
    backends.transport.set_script(tools_reply);
    options_.aggregation = &aggregation;
    sandbox.reopen(options_);
    ControllerOptions chosen;
    chosen.aggregation = &aggregation;
    controllers = std::make_unique<Controllers>(
        ControllerParts{sandbox.store, *sandbox.server, sandbox.clock,
                        [this] { return sandbox.server->resources(); }},
        chosen);
    step();
  }

  Time step() { return controllers->step(sandbox.clock.now()); }

  /// A Service; `spec` in JSON.
  void service(const std::string& spec) {
    const Reply made = sandbox.post("/api/v1/namespaces/default/services",
                                    R"({"metadata":{"name":"tools"},"spec":)" + spec + '}');
    ASSERT_EQ(made.code, 201) << made.text;
  }
  /// A Service that stands for this machine.
  void external_service() {
    service(R"({"type":"ExternalName","externalName":"localhost","ports":[{"port":9443}]})");
  }
  void register_group(const std::string& version = "v1", int group_priority = 1000) {
    const Reply made =
        sandbox.post("/apis/apiregistration.k8s.io/v1/apiservices",
                     R"({"metadata":{"name":")" + version + R"(.tools.example.com"},"spec":{)" +
                         R"("group":"tools.example.com","version":")" + version +
                         R"(","groupPriorityMinimum":)" + std::to_string(group_priority) +
                         R"(,"versionPriority":10,"insecureSkipTLSVerify":true,)"
                         R"("service":{"namespace":"default","name":"tools","port":9443}}})");
    ASSERT_EQ(made.code, 201) << made.text;
  }
  /// Both, and the server is asked.
  void serve_group() {
    external_service();
    register_group();
    step();
  }

  /// "True Passed: all checks passed"
  std::string condition(const std::string& name = "v1.tools.example.com") {
    const Reply got = sandbox.get("/apis/apiregistration.k8s.io/v1/apiservices/" + name);
    for (const Json& each : got.body.get("status").get("conditions").items()) {
      return each.get("status").text() + ' ' + each.get("reason").text() + ": " +
             each.get("message").text();
    }
    return "";
  }
  /// The response as a client that waits gets it; deferred if it is not known yet.
  HttpServerResponse ask(const std::string& target, HttpHeaders headers = {},
                         const std::string& method = "GET") {
    HttpServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = std::move(headers);
    HttpServerResponse response = sandbox.server->handle(request);
    if (response.deferred == nullptr) return response;
    std::optional<HttpServerResponse> taken = response.deferred->take();
    return taken ? std::move(*taken) : std::move(response);
  }
  Json document(const std::string& target, const std::string& accept = "application/json") {
    return json_literal(ask(target, {{"Accept", accept}}).body);
  }

  FakeBackends backends;
  Sandbox sandbox;
  Aggregation aggregation{{sandbox.store, sandbox.clock, backends, nullptr}};
  std::unique_ptr<Controllers> controllers;

 private:
  ApiServerOptions options_;
};

}  // namespace davit::sandbox

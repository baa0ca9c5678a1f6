/// A server with simulated nodes in one process: no socket, no thread, time by hand.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "nodes/simulation.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {

/// Lets a test stand between the nodes and the server.
class Interceptor final : public HttpHandler {
 public:
  explicit Interceptor(HttpHandler& inner) : inner_(inner) {}

  /// Asked first; its response is taken where it has one.
  std::function<std::optional<HttpServerResponse>(const HttpServerRequest&)> intercept;

  HttpServerResponse handle(const HttpServerRequest& request) override {
    ++requests;
    if (intercept) {
      if (std::optional<HttpServerResponse> response = intercept(request))
        return std::move(*response);
    }
    return inner_.handle(request);
  }

  int requests = 0;

 private:
  HttpHandler& inner_;
};

class World {
 public:
  explicit World(SimulationOptions options = {}, ApiServerOptions served = {})
      : sandbox(std::move(served)), options_(std::move(options)) {
    start();
  }
  ~World() { stop(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// The simulation's process begins; what it knew before is gone.
  void start() {
    simulation = std::make_unique<Simulation>(
        SimulationSeams{transport, sandbox.clock, *sandbox.random, Logger(sandbox.log)}, options_,
        loop_);
    run_until_idle();
  }
  void stop() { simulation.reset(); }

  /// Until nothing is left to do at this time.
  void run_until_idle() {
    do {
      while (transport.pump()) {
      }
      if (simulation) next_ = simulation->step();
    } while (!loop_.wait(sandbox.clock, sandbox.clock.now(), 1).empty());
  }

  /// Lets time pass, and everything happen at its time.
  void pass(Duration time) {
    const Time end = sandbox.clock.now() + time;
    run_until_idle();
    while (sandbox.clock.now() < end) {
      const Time due = std::min({next_, transport.next_pump(), end});
      sandbox.clock.advance(
          std::max<Duration>(due - sandbox.clock.now(), std::chrono::milliseconds(1)));
      run_until_idle();
    }
  }

  Json read(const std::string& target) { return sandbox.get(target).body; }
  Json node(const std::string& name) { return read("/api/v1/nodes/" + name); }
  Json pod(const std::string& name) { return read("/api/v1/namespaces/default/pods/" + name); }
  bool gone(const std::string& name) {
    return sandbox.get("/api/v1/namespaces/default/pods/" + name).code == 404;
  }

  /// `spec` may be empty; without containers it gets one.
  void create_pod(const std::string& name, const std::string& spec = "",
                  const std::string& annotations = "") {
    const std::string containers =
        spec.find("\"containers\"") == std::string::npos
            ? std::string(R"("containers":[{"name":"c","image":"i"}])") + (spec.empty() ? "" : ",")
            : "";
    const Reply response =
        sandbox.post("/api/v1/namespaces/default/pods",
                     R"({"metadata":{"name":")" + name + R"(","annotations":{)" + annotations +
                         R"(}},"spec":{)" + containers + spec + "}}");
    EXPECT_EQ(response.code, 201) << response.text;
    run_until_idle();
  }
  void annotate_node(const std::string& name, const std::string& value) {
    const Reply response = sandbox.patch(
        "/api/v1/nodes/" + name, "merge",
        R"({"metadata":{"annotations":{"sandbox.davit.dev/node":")" + value + R"("}}})");
    EXPECT_EQ(response.code, 200) << response.text;
    run_until_idle();
  }
  std::string phase(const std::string& name) { return pod(name).text_at({"status", "phase"}); }
  static std::string condition(const Json& object, std::string_view type,
                               std::string_view field = "status") {
    for (const Json& each : object.get("status").get("conditions").items()) {
      if (each.get("type").text() == type) return each.get(field).text();
    }
    return "none";
  }

  Sandbox sandbox;
  Interceptor server{*sandbox.server};
  InProcessTransport transport{server, sandbox.clock};
  std::unique_ptr<Simulation> simulation;

 private:
  const SimulationOptions options_;
  RequestLoop loop_;
  Time next_{};
};

/// Two nodes in two zones.
[[nodiscard]] inline SimulationOptions two_nodes() {
  SimulationOptions options;
  options.nodes.plans = plan_nodes("node", 2, 2);
  return options;
}

}  // namespace davit::sandbox

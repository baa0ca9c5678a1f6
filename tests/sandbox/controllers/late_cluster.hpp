/// A sandbox whose controllers' writes wait, as for webhooks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "tests/sandbox/controllers/cluster.hpp"

namespace davit::sandbox {

/// Carries out each write at once, and has its response later.
class LateWrites final : public HttpHandler {
 public:
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override {
    if (!is_late(request)) return server->handle(request);
    HttpServerResponse out;
    out.status = 429;
    HttpServerResponse known;
    known.status = fails ? 500 : server->handle(request).status;
    out.deferred = std::make_unique<Late>(std::move(known), *this);
    return out;
  }

  HttpHandler* server = nullptr;
  std::function<bool(const HttpServerRequest&)> is_late = [](const auto&) { return true; };
  bool fails = false;
  bool answers = true;
  int open = 0;  ///< Responses that exist.

 private:
  class Late final : public HttpDeferredResponse {
   public:
    Late(HttpServerResponse known, LateWrites& writes) : known_(std::move(known)), writes_(writes) {
      ++writes_.open;
    }
    ~Late() override { --writes_.open; }
    [[nodiscard]] std::optional<HttpServerResponse> take() override {
      if (!writes_.answers) return std::nullopt;
      return std::move(known_);
    }
    [[nodiscard]] Time next_take() const override { return Time::max(); }

   private:
    HttpServerResponse known_;
    LateWrites& writes_;
  };
};

/// A cluster with another set of controllers, whose writes are late.
class LateCluster {
 public:
  explicit LateCluster(const ControllerOptions& options) {
    writes.server = &cluster.server();
    controllers_ =
        std::make_unique<Controllers>(ControllerParts{cluster.store, writes, cluster.clock,
                                                      [this] { return cluster.resources(); }},
                                      options);
  }

  Time step() { return controllers_->step(cluster.clock.now()); }
  /// Steps whenever the controllers ask for it, `steps` times.
  void settle(int steps = 40) {
    for (int i = 0; i < steps; ++i) {
      const Time next = step();
      if (next == Time::max()) return;
      if (next > cluster.clock.now()) cluster.clock.advance(next - cluster.clock.now());
    }
  }

  Cluster cluster{nothing()};
  LateWrites writes;

 private:
  static ControllerOptions nothing() {
    ControllerOptions out;
    out.garbage_collector = out.namespaces = out.event_expiry = Switch::kOff;
    return out;
  }

  std::unique_ptr<Controllers> controllers_;
};

}  // namespace davit::sandbox

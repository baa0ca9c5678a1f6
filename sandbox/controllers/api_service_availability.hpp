/// The condition Available of APIServices, and discovery of those that other servers serve.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/aggregation/aggregation.hpp"
#include "sandbox/aggregation/service_condition.hpp"
#include "sandbox/controllers/controller.hpp"

namespace davit::sandbox {

/// Asks the server of each APIService when it, its Service or its endpoints change, and every 30 s;
/// more often after failures. Waits for all servers at once, so that none delays another.
/// k8s: kube-aggregator/pkg/controllers/status, DiscoveryManager of kube-aggregator/pkg/apiserver.
class ApiServiceAvailability final : public Controller {
 public:
  /// `aggregation` must outlive it.
  ApiServiceAvailability(const ControllerParts& parts, Aggregation& aggregation);
  ~ApiServiceAvailability() override;

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  class Fetch;
  /// A check of one service: one request after the other.
  ///
  ///   kIdle ──due──▶ kHealth ──200──▶ kAggregated ──▶ kOpenApi ──▶ kOpenApiV2 ──▶ kIdle
  ///                     │                  │              ▲
  ///                     └─failed─▶ kIdle   └─▶ kLegacy ───┘
  enum class Step : std::uint8_t { kIdle, kHealth, kAggregated, kLegacy, kOpenApi, kOpenApiV2 };
  struct Tracked {
    Tracked();
    Tracked(Tracked&&) noexcept;
    ~Tracked();
    Step step = Step::kIdle;
    Time due{};                                   ///< The time of the next check.
    bool changed = false;                         ///< Since the check began.
    int failures = 0;                             ///< In a row.
    std::vector<std::unique_ptr<Fetch>> fetches;  ///< Empty only in kIdle; several in kHealth.
    LearntVersion learnt;
    std::string openapi_tag;  ///< The ETag of the document that learnt.openapi_v2 is from.
  };

  void follow_services(Time now);
  void begin(const RegisteredService& service, Tracked& tracked, Time now);
  void advance(const RegisteredService& service, Tracked& tracked, Time now);
  /// After kHealth.
  void conclude_health(const RegisteredService& service, Tracked& tracked, Time now);
  /// After kAggregated and kLegacy: whether the document had the group version.
  [[nodiscard]] static bool read_discovery(const RegisteredService& service, Tracked& tracked);
  [[nodiscard]] static bool has_ended(const Tracked& tracked);
  static void read_openapi(const RegisteredService& service, Tracked& tracked);
  static void read_openapi_v2(const RegisteredService& service, Tracked& tracked);
  void send(const RegisteredService& service, Tracked& tracked, Time now, Step step);
  /// Makes what is known of the service a part of discovery.
  void publish(const RegisteredService& service, Tracked& tracked);
  void rest_after(const RegisteredService& service, Tracked& tracked, Time now);
  void fail(const RegisteredService& service, Tracked& tracked, Time now,
            const ServiceCondition& why);
  /// False: try again later.
  bool write(const std::string& name, const ServiceCondition& condition);

  const ControllerParts parts_;
  Aggregation& aggregation_;
  ApiWriter writer_;
  bool changed_ = true;  ///< APIServices, since follow_services().
  std::map<std::string, Tracked> tracked_;
};

}  // namespace davit::sandbox

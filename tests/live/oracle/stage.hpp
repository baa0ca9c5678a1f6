/// Plays one scenario on one server.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "tests/live/oracle/picture.hpp"
#include "tests/live/oracle/scenario.hpp"
#include "tests/live/oracle/world.hpp"

namespace davit::oracle {

/// Takes a fault rule, or a null to take all back. Empty where a server has no faults.
using FaultSwitch = std::function<Status(const Json& rule)>;

/// Takes a rule of the metrics APIs.
using MetricSwitch = std::function<Status(const Json& rule)>;

/// Effects of steps on a side that bypass its API.
struct Switches {
  FaultSwitch faults;
  MetricSwitch metrics;
  std::function<void()> start_controllers;
  std::function<void()> stop_controllers;
  /// Longer than a silent node keeps its volumes.
  std::chrono::seconds silence{};
};

/// The course of a scenario.
struct Transcript {
  std::vector<std::pair<std::string, Picture>> rests;  ///< With the place of the step.
  std::vector<Life> lives;
  std::vector<std::string> failures;  ///< Expectations that were not met, with their positions.
};

/// The scenario's namespace on a server. One thread uses it.
class Stage {
 public:
  /// The arguments must outlive it.
  Stage(host::RestClient& client, const World& world, const KnownDifferences& known,
        Switches switches);

  /// Blocks until the end, or until a step fails or does not come to pass.
  [[nodiscard]] Transcript play(const Scenario& scenario);

 private:
  [[nodiscard]] Status run(const Step& step);
  [[nodiscard]] Status create(const Step& step);
  [[nodiscard]] Status patch(const Step& step);
  [[nodiscard]] Status remove(const Step& step);
  [[nodiscard]] Status evict(const Step& step);
  [[nodiscard]] Status roll_back(const Step& step);
  [[nodiscard]] Status wait(const Condition& condition);
  [[nodiscard]] Status rest();
  /// The namespace of the object that a step is about. Scenarios may have more than one.
  [[nodiscard]] std::string space_of(const Step& step, const std::string& name) const;
  [[nodiscard]] Status call(host::Verb verb, const Step& step, const std::string& name,
                            const std::string& body);
  [[nodiscard]] std::vector<Life> chosen(const Target& target) const;
  [[nodiscard]] std::string why_not(const Condition& condition) const;

  host::RestClient& client_;
  const World& world_;
  const KnownDifferences& known_;
  Switches switches_;
  std::string ns_;
  std::chrono::seconds wait_limit_{};
};

}  // namespace davit::oracle

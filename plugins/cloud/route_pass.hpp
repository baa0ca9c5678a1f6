/// The pass over the routes that runs now, whose calls several workers make.
#pragma once

#include <cstdint>
#include <davit/time.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/cloud/route_plan.hpp"

namespace davit::cloud {

/// A pass ends when all of its destinations have: each is one worker's, which takes its steps one
/// by one. Thread-safe; the caller makes the calls.
class RoutePass {
 public:
  /// The beginning of a pass.
  struct Beginning {
    Time at{};
    std::uint64_t generation = 0;  ///< That of the provider that listed the routes.
  };
  /// Begins one. The destinations that may be worked on now.
  [[nodiscard]] std::vector<std::string> begin(RoutePlan plan, const Beginning& beginning);
  /// Whether one has begun and end() was not called.
  [[nodiscard]] bool is_under_way() const;

  /// One call: either a removal or a creation.
  struct Step {
    std::optional<CloudRoute> remove{};
    std::optional<NewRoute> create{};
  };
  /// The next step for the destination, if it has one to take now. For another provider than the
  /// one that listed the routes there is none, and the pass is void: it ends without any more.
  [[nodiscard]] std::optional<Step> next(const std::string& destination, std::uint64_t generation);
  enum class StepResult { kDone, kFailed };
  void took(const std::string& destination, const Step& step, StepResult result);

  struct Progress {
    std::vector<std::string> next{};  ///< Further destinations that may be worked on now.
    bool is_over = false;             ///< The last step of the pass is done.
  };
  /// The destination has no step left.
  [[nodiscard]] Progress finish(const std::string& destination);

  struct Results {
    Time began{};
    std::map<std::string, RoutedNodeState> nodes{};
    int removals_failed = 0;
    bool is_void = false;  ///< Its steps were not taken; the rest says nothing.
  };
  /// Nothing: no pass is over.
  [[nodiscard]] std::optional<Results> results() const;
  void end();

 private:
  struct Pass {
    Pass(RoutePlan all, const Beginning& beginning);

    RoutePlan plan;
    std::uint64_t generation;
    bool creates = false;          // Else only removals may be taken.
    std::set<std::string> open{};  // Destinations that are being worked on.
    Results results{};
  };
  /// Destinations with steps that may be taken.
  [[nodiscard]] static std::vector<std::string> open(Pass& pass);

  mutable std::mutex mutex_;
  std::optional<Pass> pass_;  // Guarded.
};

}  // namespace davit::cloud

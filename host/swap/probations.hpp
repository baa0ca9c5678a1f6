/// The thread that judges builds on probation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "host/swap/plugin_registry.hpp"
#include "host/swap/probation.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// A build that failed its probation.
struct FailedProbation {
  std::string plugin;
  std::shared_ptr<Probation> probation;
  std::string why;
};

/// Thread-safe. Probations belong to the slots of the registry and are guarded by its mutex.
class Probations {
 public:
  /// `on_failed` rolls the build back and calls finish(); called on the thread of this, without a
  /// lock, again for a probation that it did not finish. The references outlive this.
  Probations(PluginRegistry& registry, Clock& clock,
             std::function<void(const FailedProbation&)> on_failed)
      : registry_(registry), clock_(clock), on_failed_(std::move(on_failed)) {}
  Probations(const Probations&) = delete;
  Probations& operator=(const Probations&) = delete;

  /// Starts the thread that judges, unless it runs; false when the system has none.
  [[nodiscard]] bool ensure_thread();
  /// Puts the slot's present build on probation. The caller holds the registry's mutex.
  void begin(PluginSlot& slot, std::shared_ptr<Probation> probation);
  /// Ends the probation of a slot, if there is one. The caller holds the registry's mutex.
  void end(PluginSlot& slot, Probation::End how, std::string text);
  /// Ends one that failed.
  void finish(const FailedProbation& failed, Probation::End how, const std::string& text);
  /// Waits for its end and puts that into the report.
  void await(const Probation& probation, SwapReport& report);

 private:
  void watch(const std::stop_token& stop);
  /// The first build that failed; ends the probations of those that passed.
  [[nodiscard]] std::optional<FailedProbation> judge_all() REQUIRES(registry_.mutex);

  PluginRegistry& registry_;
  Clock& clock_;
  const std::function<void(const FailedProbation&)> on_failed_;
  CondVar changed_;      // One began or ended, or the thread is to stop.
  std::jthread thread_;  // Last: it uses the others. Started under the registry's mutex.
};

}  // namespace davit::host

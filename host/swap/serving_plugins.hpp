/// The plugins that serve, addressed by name from outside.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/run/swap_metrics.hpp"
#include "host/swap/plugin_registry.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

struct ControllerState {
  std::string name;
  std::string
      state;  ///< "running", "standby", "paused", "filling", "waiting" (see ControllerWait),
              ///< "verifying", "stuck" (a call is overdue) or "off".
  std::size_t waiting = 0;
  ControllerRunner::Use use{};
  SyncTally syncs{};  ///< Those of the present build.
  FailingList failing{};
  ControllerHoldings held{};
};
struct PluginState {
  std::string name;
  std::filesystem::path file;
  BuildName build;
  Grade grade = Grade::kSwappable;
  std::vector<std::string> grade_reasons;
  std::vector<ControllerState> controllers;  ///< In the order of the declaration.
  std::optional<BuildName> shadow;           ///< The shadow's.
  Duration probation{0};                     ///< That is left to the present build.
  std::size_t mapped_bytes = 0;              ///< See LoadedPlugin.
};
struct SetState {
  std::vector<PluginState> plugins;
  std::vector<Resident> residents;
  std::string busy;  ///< The operation in progress; empty: none.
};

/// A controller whose caches cannot be filled: the server does not serve a resource, or refuses it.
struct ControllerWait {
  std::string controller;
  ResourceId resource;
  Status why;

  /// One line for people.
  [[nodiscard]] std::string text() const;
};

/// Thread-safe. A call into a controller never meets a build that has ended, and no build ends
/// during the call.
class ServingPlugins {
 public:
  /// The references outlive this. `metrics` may be null.
  ServingPlugins(PluginRegistry& registry, Clock& clock, Logger log, SwapMetrics* metrics)
      : registry_(registry), clock_(clock), log_(std::move(log)), metrics_(metrics) {}
  ServingPlugins(const ServingPlugins&) = delete;
  ServingPlugins& operator=(const ServingPlugins&) = delete;

  [[nodiscard]] SetState state();
  /// The controllers that run.
  [[nodiscard]] std::vector<std::string> controllers();

  /// kNotFound for a controller that does not run.
  [[nodiscard]] Status health(std::string_view controller);
  [[nodiscard]] bool has_debug_page(std::string_view controller);
  [[nodiscard]] Result<DebugResponse> debug_page(std::string_view controller, std::string_view path,
                                                 std::string_view query);
  /// kUnavailable while caches fill. A controller that waits for a resource that the server does
  /// not serve does not count: the others work.
  [[nodiscard]] Status caches_filled();
  /// The controllers that cannot begin, and what each waits for.
  [[nodiscard]] std::vector<ControllerWait> waits();
  /// A line for each controller with calls that run for longer than RunnerOptions::sync_limit.
  [[nodiscard]] std::vector<std::string> overdue();
  /// To be called every few seconds: writes the gauges of runners and plugins, reports refused
  /// calls, and closes idle resources.
  void report();

  /// Hands out no key of a controller, by name or alias, until resume(); running syncs finish.
  Status pause(std::string_view controller);
  Status resume(std::string_view controller);

  /// Waits until no operation is in progress; false if the set stops.
  bool wait_idle();

  /// A controller that is not destroyed while this exists.
  struct Guarded {
    ControllerHost* host;
    Gate::Pass pass;
    std::string plugin{};
    std::uint64_t generation = 1;
  };
  /// Nothing for a controller that does not run.
  [[nodiscard]] std::optional<Guarded> guard(std::string_view controller);

 private:
  void report_use(const Guarded& guarded) const;
  /// In a word, of a controller that runs.
  [[nodiscard]] std::string state_of(const PluginSlot& slot,
                                     const DeclaredController& declared) const
      REQUIRES(registry_.mutex);
  [[nodiscard]] PluginState describe(const PluginSlot& slot) const REQUIRES(registry_.mutex);

  PluginRegistry& registry_;
  Clock& clock_;
  const Logger log_;
  SwapMetrics* const metrics_;
  RefusalReader refusals_;
};

}  // namespace davit::host

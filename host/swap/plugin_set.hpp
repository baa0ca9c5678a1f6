/// The plugins of a host: which are loaded, and which of their builds serve.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/swap/build_preparation.hpp"
#include "host/swap/config_change.hpp"
#include "host/swap/generation.hpp"
#include "host/swap/plugin_registry.hpp"
#include "host/swap/probations.hpp"
#include "host/swap/retirement.hpp"
#include "host/swap/serving_plugins.hpp"
#include "host/swap/shadows.hpp"
#include "host/swap/swap.hpp"
#include "host/swap/swap_report.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Life:  add()* → start() → lead() … → stop().
///
/// Thread-safe. Functions that change the set (swap, load, enable, …) block, one at a time: a
/// second one is refused at once as kBusy. The parts share one PluginRegistry and its lock.
class PluginSet {
 public:
  /// References outlive the set; those of `factory`'s hosts too.
  PluginSet(Clock& clock, Logger log, ControllerFactory factory, SetObservers observers,
            SwapLimits limits = {});
  ~PluginSet();
  PluginSet(const PluginSet&) = delete;
  PluginSet& operator=(const PluginSet&) = delete;

  /// A plugin as the host starts with it; nothing when it is there. `sha256` is what the digest of
  /// each of its builds must be, or empty.
  void add(std::shared_ptr<const LoadedPlugin> plugin, std::string sha256);
  /// A controller of it that is to run, initialised and committed.
  void add(std::string_view plugin, std::unique_ptr<ControllerHost> controller);
  /// Starts every controller; those that need no leadership sync. With a time, those and what is
  /// loaded or enabled later begin when their caches are known to be as new as their beginning.
  void start(std::optional<Time> now = std::nullopt);
  /// Leadership is won or not needed: all controllers sync, also those of later builds.
  /// With the time at which the lease was won, each begins when its caches are known to be as new.
  /// Applies to the controllers under that lease.
  void lead(std::optional<Time> won = std::nullopt, ControllerLease lease = ControllerLease::kMain);
  /// Leadership is gone, whichever lease it was.
  void lose();
  /// Ends all controllers. False when a call into one did not end: then the process must end
  /// without destroying this.
  bool stop(const Quiesce& wait);

  /// Replaces the serving build of a plugin by another one.
  [[nodiscard]] SwapReport swap(const SwapRequest& request);
  /// The same with the build that runs in its shadow, if its file is still the same.
  [[nodiscard]] SwapReport commit_shadow(const std::string& plugin);

  /// Gives a running controller another configuration (JSON text of an object; empty: none). If it
  /// takes none while it runs, swaps its plugin, whose next build finds it in its init: the factory
  /// must have it already.
  [[nodiscard]] SwapReport configure(const std::string& controller, const std::string& config);

  /// Loads a plugin and starts controllers of it.
  [[nodiscard]] SwapReport load(const LoadOrder& order);
  /// Ends a plugin's controllers, whose keys are dropped, and closes it.
  [[nodiscard]] SwapReport unload(const std::string& plugin);
  /// Starts a controller, by name or alias, of a plugin that is loaded.
  [[nodiscard]] SwapReport enable(const std::string& controller);
  /// Ends a controller, by name or alias, whose keys are dropped; its plugin stays.
  [[nodiscard]] SwapReport disable(const std::string& controller);

  /// Calls that change no build: states, health, debug pages, pauses.
  [[nodiscard]] ServingPlugins& serving() { return serving_; }
  [[nodiscard]] Shadows& shadows() { return shadows_; }

 private:
  [[nodiscard]] SwapParts parts();
  /// Lets operations end, and stops the controllers that serve while one is in progress, on threads
  /// that are added to `waits`. `wait` outlives them.
  void begin_stop(const Quiesce& wait, std::vector<std::jthread>& waits);
  bool find_order(const std::string& controller, BuildOrder& order, SwapReport& report);
  bool check_new(const Generation& made, SwapReport& report);
  bool end_controller(const std::string& name, SwapReport& report);
  ConfigChange::End offer_config(const std::string& controller, const std::string& config,
                                 SwapReport& report);
  void roll_back(const FailedProbation& failed);
  void publish(const SwapReport& report) const;

  // Fixed after construction.
  Clock& clock_;
  const Logger log_;
  const ControllerFactory factory_;
  const SetObservers observers_;
  const SwapLimits limits_;

  PluginRegistry registry_;
  Retirement retirement_;  // Changed only by the current ExclusiveOperation.
  BuildPreparation preparation_;
  ServingPlugins serving_;
  Shadows shadows_;
  Probations probations_;  // Last: its thread uses the others.
};

}  // namespace davit::host

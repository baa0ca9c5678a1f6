/// The loops of a cloud follow what its provider offers.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/plugin/cloud_exchange.hpp"
#include "host/swap/plugin_set.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Restarts the loops, with their init, whenever a provider has come or gone or offers other
/// parts than before. A loop that the operator has disabled stays so. For the main thread; the work
/// is done on another thread, since an init may take its time.
class CloudLoops {
 public:
  /// The references outlive this.
  CloudLoops(const CloudExchange& exchange, PluginSet& plugins, Logger log)
      : exchange_(exchange), plugins_(plugins), log_(std::move(log)) {}
  CloudLoops(const CloudLoops&) = delete;
  CloudLoops& operator=(const CloudLoops&) = delete;

  /// The init of a controller has ended; it counts if its plugin requires the exchange.
  void initialised(const LoadedPlugin& plugin, const std::string& controller, InitOutcome outcome);

  /// Call it every second.
  void tick();

 private:
  void restart();
  /// False: another operation is in progress.
  [[nodiscard]] bool restart(const std::string& loop);

  const CloudExchange& exchange_;
  PluginSet& plugins_;
  const Logger log_;
  std::vector<std::string> loops_;
  std::uint64_t seen_ = 0;         // Changes of the exchange that the loops follow.
  std::set<std::string> skipped_;  // Those that found nothing to do. The thread's while it works.
  std::atomic<bool> is_busy_{false};   // The thread works.
  std::atomic<bool> was_whole_{true};  // It reached every loop.
  std::jthread thread_;
};

}  // namespace davit::host

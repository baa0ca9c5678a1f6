/// The loops of a cloud follow what its provider offers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "host/loading/note.hpp"
#include "host/process/desired_state.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Restarts the loops, with their init, whenever a provider has come or gone or offers other
/// parts than before. A loop that found nothing to do starts then; one that the operator has
/// disabled stays so. Thread-safe, except for begin(), tick() and wait(), which are the main
/// thread's. The work is done on another thread, since an init may take its time.
class CloudLoops {
 public:
  /// Those of CloudExchange and PluginSet.
  struct Seams {
    std::function<std::uint64_t()> changes;
    std::function<SwapReport(const std::string& controller)> disable;
    std::function<SwapReport(const std::string& controller)> enable;
  };
  CloudLoops(Seams seams, Logger log) : seams_(std::move(seams)), log_(std::move(log)) {}
  CloudLoops(const CloudLoops&) = delete;
  CloudLoops& operator=(const CloudLoops&) = delete;

  /// A controller is being made, and its init comes next. It is a loop if its plugin requires the
  /// exchange.
  void made(const PluginDeclaration& plugin, const std::string& controller) EXCLUDES(mutex_);
  /// A running controller has ended, and no other build of it follows.
  void ended(const std::string& controller) EXCLUDES(mutex_);
  /// The manifest has changed: what it switches off is so, whether or not it ran.
  void want(const DesiredState& before, const DesiredState& now) EXCLUDES(mutex_);

  /// The loops of the host's start have seen in their init what is offered now.
  void begin() { seen_ = seams_.changes(); }
  /// Call it every second.
  void tick();
  /// Returns when the work that tick() has begun is done.
  void wait();

 private:
  enum class Outcome { kDone, kAgain, kFailed };
  void restart_all() EXCLUDES(mutex_);
  [[nodiscard]] Outcome restart(const std::string& loop) EXCLUDES(mutex_);
  [[nodiscard]] Outcome enable(const std::string& loop) EXCLUDES(mutex_);
  void forget(const std::string& loop) EXCLUDES(mutex_);
  [[nodiscard]] std::set<std::string> loops() EXCLUDES(mutex_);

  const Seams seams_;
  const Logger log_;

  Mutex mutex_;
  std::set<std::string> loops_ GUARDED_BY(mutex_);
  std::string restarting_ GUARDED_BY(mutex_);  // Empty: none.

  // The thread's while it works, else the main thread's.
  std::uint64_t seen_ = 0;         // Changes of the exchange that the loops follow.
  std::set<std::string> pending_;  // The loops that have not followed yet.
  int ticks_left_ = 0;             // Until they are tried again.
  std::atomic<bool> is_busy_{false};
  std::jthread thread_;
};

}  // namespace davit::host

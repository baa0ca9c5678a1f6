/// Keeps the last states of the host, and serves them at a bounded cost.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/status/host_status.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// sample() takes one state per second. Its document is built at the first request and is then the
/// same for all clients until the next state, so a thousand clients cost the controllers no more
/// than one. Thread-safe.
class StatusBoard {
 public:
  /// Five minutes of charts, and the swaps that the page lists.
  static constexpr std::size_t kHistory = 300;
  static constexpr std::size_t kSwaps = 20;

  /// Finds the last writes of all controllers, newest first. Called on the thread that asks for a
  /// document, at most once for each state; must be fast. May be empty.
  using Writes = std::function<std::vector<RecentWrite>()>;
  explicit StatusBoard(Writes writes = {}) : writes_(std::move(writes)) {}

  /// A new state. Ignored if it is not later than the last one.
  void sample(HostStatus status) EXCLUDES(mutex_);
  /// A swap, load or unload has ended.
  void swapped(const SwapReport& report, WallTime when) EXCLUDES(mutex_);

  /// See status_json() and status_page(). Before the first state, both show an empty one.
  [[nodiscard]] std::string json() EXCLUDES(mutex_);
  [[nodiscard]] std::string page() EXCLUDES(mutex_);

 private:
  struct Past {
    Time when{};
    std::uint64_t generation = 0;
    std::uint64_t syncs = 0;
    std::uint64_t errors = 0;
    Duration cpu{0};
  };

  [[nodiscard]] ControllerRates rates_of(const ControllerState& controller,
                                         std::uint64_t generation, Time now) REQUIRES(mutex_);
  void look_up_writes() EXCLUDES(mutex_);

  const Writes writes_;
  Mutex mutex_;
  StatusView view_ GUARDED_BY(mutex_);
  bool has_writes_ GUARDED_BY(mutex_) = false;  // view_ has those of its state.
  std::optional<std::string> json_ GUARDED_BY(mutex_);
  std::optional<std::string> page_ GUARDED_BY(mutex_);
  std::map<std::string, Past> past_ GUARDED_BY(mutex_);  // The key is the controller.
};

}  // namespace davit::host

/// An isolated plugin of a running host: its process, started while the host leads, and again after
/// it has ended.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "host/isolation/isolated_process.hpp"
#include "lib/base/backoff.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// The times at which a process that has ended is started again. Pure; not thread-safe.
class RestartPolicy {
 public:
  /// As for a container: at once after the first end, after 10 s after the second, then twice as
  /// long after each further one, at most five minutes. A process that ran for ten minutes counts
  /// as healthy.
  static constexpr BackoffOptions kBackoff{std::chrono::seconds(10), 2.0, 0.1, 0,
                                           std::chrono::minutes(5)};
  static constexpr Duration kHealthyAfter = std::chrono::minutes(10);

  explicit RestartPolicy(Random& random) : random_(random), backoff_(kBackoff) {}

  /// For a process that ran from `began` to `ended`.
  [[nodiscard]] Time next_start(Time began, Time ended);

 private:
  Random& random_;
  Backoff backoff_;
  bool is_first_ = true;
};

/// The state that the host's pages show.
struct IsolatedPluginState {
  /// kStandby: the host does not lead.
  enum class Phase { kStandby, kStarting, kRunning, kBackingOff, kQuarantined, kStopped };
  Phase phase = Phase::kStandby;
  IsolatedProcessState process;  ///< That of the present process, or the last.
  int ends = 0;                  ///< The ends of processes that the host did not ask for.
};

/// Thread-safe, except stop().
class IsolatedPlugin {
 public:
  struct Terms {
    IsolatedProcessTerms process;
    UniqueFd plugin;  ///< The sealed file.
    enum class Restart { kNo, kYes };
    /// Called on the plugin's thread when a process has crashed: whether it may be started again.
    std::function<Restart(const IsolatedProcessState&)> on_crash{};
  };

  /// Starts the thread, which waits for lead(). What `seams` refer to, and `random`, outlive this.
  [[nodiscard]] static Result<std::unique_ptr<IsolatedPlugin>> open(Terms terms,
                                                                    IsolatedProcessSeams seams,
                                                                    Random& random);
  /// See open().
  IsolatedPlugin(Terms terms, IsolatedProcessSeams seams, Random& random);
  /// Kills the process if it runs.
  ~IsolatedPlugin();
  IsolatedPlugin(const IsolatedPlugin&) = delete;
  IsolatedPlugin& operator=(const IsolatedPlugin&) = delete;

  /// The host leads from now on: the process starts. Idempotent.
  void lead() EXCLUDES(mutex_);
  /// Lets running syncs end, and kills the process after `limit`. Returns at once.
  void drain(Duration limit) EXCLUDES(mutex_);
  /// Waits for the end that drain() asked for; without drain() kills the process.
  void stop() EXCLUDES(mutex_);
  [[nodiscard]] IsolatedPluginState state() const EXCLUDES(mutex_);

 private:
  using Phase = IsolatedPluginState::Phase;

  void run(const std::stop_token& stop);
  [[nodiscard]] Duration drain_limit() const EXCLUDES(mutex_);
  void await_lead(const std::stop_token& stop) EXCLUDES(mutex_);
  /// Runs one process to its end.
  void run_process(const std::stop_token& stop);
  void publish(Phase phase, const IsolatedProcessState& process) EXCLUDES(mutex_);

  // Fixed after construction.
  const Terms terms_;
  const IsolatedProcessSeams seams_;

  RestartPolicy policy_;  // The thread's.
  mutable Mutex mutex_;
  CondVar changed_;
  bool leads_ GUARDED_BY(mutex_) = false;
  Duration drain_limit_ GUARDED_BY(mutex_) = Duration::zero();
  IsolatedPluginState state_ GUARDED_BY(mutex_);
  std::jthread thread_;  // Last: it uses the rest.
};

/// "starting", "running", …: for people and documents.
[[nodiscard]] std::string_view to_string(IsolatedPluginState::Phase phase);

}  // namespace davit::host

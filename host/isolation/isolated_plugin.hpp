/// An isolated plugin of a running host: its process, started while the host leads, and again after
/// it has ended.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
  /// As often are the metrics of the process read. Prometheus reads them every 15 to 60 s.
  static constexpr Duration kMetricsPeriod = std::chrono::seconds(5);
  /// A host with a few controllers has 100 KiB.
  static constexpr std::size_t kMetricsBytesMax = std::size_t{1} << 20;
  /// Callers of ask() that wait at once.
  static constexpr std::size_t kWaitingMax = 16;

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
  /// Lets a process with Begin::kOnOrder sync and write, and those that follow it. Idempotent.
  void begin() EXCLUDES(mutex_);
  /// Waits until the process has filled its caches; false: it has ended once, or `deadline` came.
  [[nodiscard]] bool await_running(Time deadline) EXCLUDES(mutex_);
  /// Asks the process, and waits for the answer. kUnavailable: it does not run, ends, or has not
  /// answered by `deadline`; kThrottled: too many others wait.
  [[nodiscard]] Result<Answered> ask(Question question, Time deadline) EXCLUDES(mutex_);
  /// The metrics of the process, at most kMetricsPeriod old: the text that it sent, unchecked.
  [[nodiscard]] std::string metrics() const EXCLUDES(mutex_);
  /// Lets running syncs end, and kills the process after `limit`. Returns at once.
  void drain(Duration limit) EXCLUDES(mutex_);
  /// Waits for the end that drain() asked for; without drain() kills the process.
  void stop() EXCLUDES(mutex_);
  [[nodiscard]] IsolatedPluginState state() const EXCLUDES(mutex_);

 private:
  using Phase = IsolatedPluginState::Phase;

  void run(const std::stop_token& stop);
  /// Exchanges messages with a process until its end.
  void drive(IsolatedProcess& process, const std::stop_token& stop);
  [[nodiscard]] Duration drain_limit() const EXCLUDES(mutex_);
  [[nodiscard]] bool may_begin() const EXCLUDES(mutex_);
  void await_lead(const std::stop_token& stop) EXCLUDES(mutex_);
  /// Runs one process to its end.
  void run_process(const std::stop_token& stop);
  void publish(Phase phase, const IsolatedProcessState& process) EXCLUDES(mutex_);
  void wake() const;
  /// Sends what callers and this want to know.
  void ask_process(IsolatedProcess& process) EXCLUDES(mutex_);
  [[nodiscard]] std::map<std::uint64_t, Question> take_questions() EXCLUDES(mutex_);
  void take_answers(IsolatedProcess& process) EXCLUDES(mutex_);
  /// The process has ended: nothing answers any more.
  void end_wishes() EXCLUDES(mutex_);

  // Fixed after construction.
  const Terms terms_;
  const IsolatedProcessSeams seams_;

  const UniqueFd wake_;   // Ends the wait of the process's step.
  RestartPolicy policy_;  // The thread's, as all up to the mutex.
  Time metrics_due_{};
  std::uint32_t metrics_id_ = 0;  // The open question for them; 0: none.

  /// A caller of ask().
  struct Wish {
    std::optional<Question> question;  // Until it is sent;
    std::uint32_t id = 0;              // then its id.
    std::optional<Result<Answered>> answer{};
  };
  mutable Mutex mutex_;
  CondVar changed_;
  bool leads_ GUARDED_BY(mutex_) = false;
  bool begins_ GUARDED_BY(mutex_);
  std::uint64_t next_wish_ GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Wish> wishes_ GUARDED_BY(mutex_);
  std::string metrics_ GUARDED_BY(mutex_);
  Duration drain_limit_ GUARDED_BY(mutex_) = Duration::zero();
  IsolatedPluginState state_ GUARDED_BY(mutex_);
  std::jthread thread_;  // Last: it uses the rest.
};

/// "starting", "running", …: for people and documents.
[[nodiscard]] std::string_view to_string(IsolatedPluginState::Phase phase);

}  // namespace davit::host

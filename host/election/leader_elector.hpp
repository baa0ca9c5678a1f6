/// Leader election on a Lease (k8s.io/client-go/tools/leaderelection): the thread around
/// LeaderElection.
#pragma once

#include <atomic>
#include <davit/mutant.hpp>
#include <davit/result.hpp>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "host/election/leader_election.hpp"
#include "host/election/lease_api.hpp"
#include "host/events/event_recorder.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The metrics of leader election; names in spec order: leader_election_master_status,
/// leader_election_slowpath_total. Thread-safe.
class LeaderElectionMetrics {
 public:
  LeaderElectionMetrics() = default;
  LeaderElectionMetrics(const LeaderElectionMetrics&) = delete;
  LeaderElectionMetrics& operator=(const LeaderElectionMetrics&) = delete;
  virtual ~LeaderElectionMetrics() = default;

  enum class Role { kLeader, kStandby };
  virtual void leader_election_role(std::string_view name, Role role) = 0;
  virtual void leader_election_slow_path(std::string_view name) = 0;
};

/// Why an election ended: stop() was called, or leadership was lost before that.
enum class ElectionEnd { kStopped, kLost };

/// Callbacks of an election; each is called on the elector's thread and must return at once.
struct LeaderElectionHandlers {
  std::function<void()> on_started_leading;
  /// Exactly once, after the elector's thread was started, also when leadership was never won.
  /// Writes were already fenced off. Must be set.
  std::function<void(ElectionEnd)> on_stopped_leading;
  /// The holder changed: to us, to another one, or to "" after a release. May be empty.
  std::function<void(std::string_view)> on_new_leader;
  /// Once, when the server has shown an older version of the Lease. May be empty.
  std::function<void(const LeaderElection::WentBack&)> on_went_back = {};
};

/// Stands for election until stopped or until leadership is lost; one life, no second try.
class LeaderElector {
 public:
  enum class Release { kNo, kYes };

  /// `options` must be valid (see LeaderElection::check()). References must outlive the elector;
  /// `events` may be null.
  LeaderElector(LeaderElectionOptions options, LeaseApi& api, Clock& clock, Random& random,
                LeaderElectionMetrics& metrics, EventRecorder* events, Logger log,
                LeaderElectionHandlers handlers);
  /// Stops without a release.
  ~LeaderElector();

  /// kWait: the elector watches the Lease and takes it only after stand(), so that it need not
  /// watch a silent holder for the lease's duration then.
  enum class Stand { kAtOnce, kWait };

  /// Starts the thread; once. kUnavailable: the system has none, so this host does not run for
  /// election.
  [[nodiscard]] Status start(Stand stand = Stand::kAtOnce);
  /// Ends the wait of Stand::kWait. Idempotent.
  void stand() EXCLUDES(mutex_);

  /// Ends the election. kYes gives the lease back, so that another host takes it at once: only when
  /// nothing that the lease guards can write any more. Blocks until the thread has ended (at most
  /// renew_deadline). Idempotent.
  void stop(Release release);

  /// Whether this is the leader and its lease has not expired, counted from before the renewing
  /// request was sent. The clock includes suspension, because the lease also expires on other
  /// machines during it. Costs an atomic load and a clock read, so it can be called before every
  /// write.
  [[nodiscard]] bool may_write() const {
    // Relaxed: the value guards no other data.
    return mutant("lease-fence") || clock_.boot_now().time_since_epoch().count() <
                                        leader_until_.load(std::memory_order_relaxed);
  }

  /// Whether this process leads as far as it knows; for readyz and for people.
  [[nodiscard]] bool is_leader() const { return leading_.load(std::memory_order_acquire); }

  /// The holder last seen; "" when there is none or before the first look.
  [[nodiscard]] std::string holder() const EXCLUDES(mutex_);

  /// For the check `leaderElection`: fails when we believe to lead but could not renew for the
  /// lease's duration and `tolerance`.
  [[nodiscard]] Status health(Duration tolerance = std::chrono::seconds(20)) const EXCLUDES(mutex_);

 private:
  enum class State { kWaiting, kAcquiring, kLeading, kStopped, kLost };
  void run(const std::stop_token& stop);
  State watch(const std::stop_token& stop) EXCLUDES(mutex_);
  State acquire(const std::stop_token& stop);
  State lead(const std::stop_token& stop);
  /// One attempt, ending by `deadline`.
  LeaderElection::Outcome attempt(Time deadline, const std::stop_token& stop);
  Result<std::string> send(const LeaderElection::Request& request, Time deadline,
                           const std::stop_token& stop);
  void release_lease();
  void log_request_error(const std::stop_token& stop) const;
  void publish() EXCLUDES(mutex_);
  void report_history();
  enum class Until { kTime, kStanding };
  /// Waits for the time or for stand(), if asked for.
  void rest(Time until, const std::stop_token& stop, Until what = Until::kTime) EXCLUDES(mutex_);
  void record(std::string_view what);

  // Fixed after construction.
  const LeaderElectionOptions options_;
  LeaseApi& api_;
  Clock& clock_;
  Random& random_;
  LeaderElectionMetrics& metrics_;
  EventRecorder* const events_;
  const Logger log_;
  const LeaderElectionHandlers handlers_;

  // Used by the elector's thread.
  LeaderElection election_;
  bool has_reported_history_ = false;

  std::atomic<Duration::rep> leader_until_{
      Duration::min().count()};  // BootTime up to which writes are safe.
  std::atomic<bool> leading_{false};
  std::atomic<bool> release_{false};

  mutable Mutex mutex_;
  CondVar wake_;
  std::string holder_ GUARDED_BY(mutex_);
  Time observed_ GUARDED_BY(mutex_){};
  bool stands_ GUARDED_BY(mutex_) = true;

  std::jthread thread_;
};

}  // namespace davit::host

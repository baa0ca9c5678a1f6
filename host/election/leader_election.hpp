/// The decisions of leader election (k8s.io/client-go/tools/leaderelection), without clock, thread
/// or I/O.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/election/lease.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The defaults are upstream's.
struct LeaderElectionOptions {
  std::string ns = "kube-system";
  std::string name = "davit";       ///< The Lease's name.
  std::string component = "davit";  ///< Source of the events on the Lease.
  std::string identity = {};        ///< New for each start of the process: `<host name>_<UUID>`.
  /// Identities of earlier processes that have provably ended, so that their lease is taken without
  /// waiting for its end; see LeaseHolders.
  std::vector<std::string> departed = {};
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  /// Waits between attempts are longer by up to this share (client-go's JitterFactor).
  static constexpr double kJitter = 1.2;
};

/// One candidate's view of the Lease and the attempts to take or keep it. An attempt is a short
/// exchange: begin() gives the first request, each on_response() the next one or nothing when the
/// attempt is over; then outcome() returns its result.
///
///            fast update          ok
///   begin ─┬───────────▶ update ─────────────────────────────▶ held
///          │ (leading)      │ failed
///          └────────────▶ get ──not found──▶ create ──ok─────▶ held
///                           │ ours, free, expired or of an ended process
///                           ├──────────────▶ update ──ok─────▶ held
///                           └─ held by another ──────────────▶ not held
///
/// A leader that reads a term other than its own, of any holder, has lost: another candidate may
/// have led and released the Lease in between. The same applies if the Lease is gone and the
/// leader's own time has expired.
///
/// Only local observation times decide: the times written in the Lease are never compared, so
/// clocks may be wrong. Not thread-safe.
class LeaderElection {
 public:
  enum class Outcome {
    kHeld,     ///< The lease is ours.
    kNotHeld,  ///< It is not, or the attempt failed; try again later.
    kLost,     ///< We led, and another candidate has held the lease since: stop at once.
  };
  enum class Verb { kGet, kCreate, kUpdate };
  struct Request {
    Verb verb = Verb::kGet;
    std::string body;  ///< JSON of the Lease, for kCreate and kUpdate.
  };

  explicit LeaderElection(LeaderElectionOptions options) : options_(std::move(options)) {}

  /// kInvalid, in one line, when the options contradict each other.
  [[nodiscard]] static Status check(const LeaderElectionOptions& options);

  /// `boot` measures the time since the last renewal, suspension included.
  [[nodiscard]] Request begin(Time now, WallTime wall, BootTime boot);

  /// Takes what the server said to the last request: the Lease's JSON or the error. `now` is the
  /// time of the response.
  [[nodiscard]] std::optional<Request> on_response(const Result<std::string>& reply, Time now);

  /// Takes a read of the Lease in which nothing is attempted, so that a later attempt knows how
  /// long the holder has been silent. Between attempts.
  void observe(const Result<std::string>& reply, Time now);

  /// The outcome of the finished attempt.
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  /// Whether the attempt renewed our lease by GET and PUT instead of a PUT alone.
  [[nodiscard]] bool took_slow_path() const { return slow_path_; }
  /// Why requests of the attempt failed; success when none did.
  [[nodiscard]] const Status& request_error() const { return request_error_; }

  /// The first request of giving the lease back: a fresh read. Then release_update() of its
  /// response, which is nothing when there is nothing to release.
  [[nodiscard]] Request begin_release() const { return {Verb::kGet, {}}; }
  [[nodiscard]] Result<std::optional<Request>> release_update(const Result<std::string>& reply,
                                                              WallTime wall) const;
  /// The release was written.
  void released(Time now);

  /// Two versions of the Lease; see went_back().
  struct WentBack {
    std::string known;
    std::string version;
  };
  /// Set for good once the server has shown the Lease in a version below the known one: it was
  /// restored to an older state.
  [[nodiscard]] const std::optional<WentBack>& went_back() const { return went_back_; }

  [[nodiscard]] bool is_leader() const { return observed_.holder == options_.identity; }
  /// UID and version of the Lease as last seen; empty before.
  [[nodiscard]] const Lease& lease() const { return lease_; }
  /// The holder last seen; "" for none.
  [[nodiscard]] const std::string& holder() const { return observed_.holder; }
  /// When the record was last seen to change.
  [[nodiscard]] Time observed_at() const { return observed_at_; }

 private:
  enum class Phase { kIdle, kFastUpdate, kGet, kCreate, kUpdate };

  [[nodiscard]] bool lease_valid(Time now) const;
  /// Whether the last observed holder has ended.
  [[nodiscard]] bool holder_departed() const;
  [[nodiscard]] LeaseRecord record(WallTime wall) const;
  void take(Lease lease, const std::string& document, Time now);
  void note_version(const std::string& version);
  std::optional<Request> on_read(const Result<std::string>& reply, Time now);
  void on_written(const std::string& reply, Time now);
  std::optional<Request> finish(Outcome outcome);

  const LeaderElectionOptions options_;

  // The last observed record.
  LeaseRecord observed_;
  Lease lease_;  // As last read or written; its `raw` is compared to notice changes.
  Time observed_at_{};
  std::string document_;  // The whole Lease as last read or written, "" when none is known.
  BootTime renewed_{};    // When the attempt that last wrote it began.
  std::optional<WentBack> went_back_;

  // The attempt in progress.
  Phase phase_ = Phase::kIdle;
  Outcome outcome_ = Outcome::kNotHeld;
  bool slow_path_ = false;
  bool led_ = false;  // When the attempt began.
  Time began_{};
  BootTime sent_{};
  LeaseRecord desired_;
  Status request_error_;
};

}  // namespace davit::host

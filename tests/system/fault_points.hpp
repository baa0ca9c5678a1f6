/// The explorer's choices for a host with threads: at a request of its controllers it crashes, is
/// asked to end, swaps its plugins, loses the response, or has no credentials.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/credentials/credentials.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/transport.hpp"
#include "testing/explore/plan.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::test {

/// A named point in the life of the first host. Which of several requests of one instant is the
/// second of its kind is up to the threads; all else is as in the run before.
struct FaultPoint {
  std::string request;  ///< "create pods", "update deployments/status"
  int number = 0;       ///< The number among these, from 1; 0: nothing happens anywhere.
  std::string fault;    ///< One of request_faults() or exec_faults().
};

/// "create pods#2=crash-after"
[[nodiscard]] std::string to_text(const FaultPoint& point);
/// kInvalid: it is no such line.
[[nodiscard]] Result<FaultPoint> parse_fault_point(std::string_view line);

/// The explorer's choices at a request by their names, "shutdown" and "swap".
[[nodiscard]] std::vector<std::string> request_faults();
/// Those of the program that prints the credentials: "exec-fails", "exec-garbage", "exec-hangs".
[[nodiscard]] std::vector<std::string> exec_faults();

/// A program that prints credentials, and misbehaves once when the test wants it.
class CredentialProgram {
 public:
  explicit CredentialProgram(const std::string& token);
  [[nodiscard]] host::ConnectionConfig config() const;
  /// From the next run on that begins; `fault` is one of exec_faults().
  void misbehave(const std::string& fault) const;
  /// Ends the run that hangs, with a failure. Waits until one does.
  void let_go() const;

 private:
  host::TempDirectory directory_;
};

/// Holds the first host at the chosen point until the test says how it continues. Thread-safe.
class Chooser {
 public:
  explicit Chooser(FaultPoint point) : point_(std::move(point)) {}

  /// The way of the first host. `program` is null, or the one that `credentials` run. The
  /// references outlive the way, and this outlives it, too.
  [[nodiscard]] std::unique_ptr<Transport> way(std::unique_ptr<Transport> next,
                                               host::Credentials* credentials,
                                               const CredentialProgram* program);

  [[nodiscard]] const FaultPoint& point() const { return point_; }
  /// Whether the request waits at the point.
  [[nodiscard]] bool is_holding() const EXCLUDES(mutex_);
  /// Whether a program runs that is not to take any time.
  [[nodiscard]] bool is_running_program() const EXCLUDES(mutex_);
  /// Lets the request do what is chosen. If it has not come, none is chosen any more.
  void let_go() EXCLUDES(mutex_);
  /// From now on the host reaches the server no more, but for the request at the point.
  void cut() EXCLUDES(mutex_);
  /// The host's Lease is out of reach, or in reach again.
  void hold_lease(bool held) EXCLUDES(mutex_);
  /// The number of requests so far, by their kind.
  [[nodiscard]] std::map<std::string, int> passed() const EXCLUDES(mutex_);
  /// Whether time may pass while the program runs: it hangs.
  void program_hangs(bool hangs) EXCLUDES(mutex_);

 private:
  class Way;

  /// Whether it is the request of the point; waits there until let_go().
  bool pass(const std::string& kind) EXCLUDES(mutex_);
  [[nodiscard]] bool is_out_of_reach(const HttpRequest& request) const EXCLUDES(mutex_);
  void count_program(int more) EXCLUDES(mutex_);

  const FaultPoint point_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::string, int> passed_ GUARDED_BY(mutex_);
  enum class Phase : std::uint8_t { kBefore, kHolding, kPassed };
  Phase phase_ GUARDED_BY(mutex_) = Phase::kBefore;
  bool is_cut_ GUARDED_BY(mutex_) = false;
  bool is_lease_held_ GUARDED_BY(mutex_) = false;
  bool program_hangs_ GUARDED_BY(mutex_) = false;
  int programs_ GUARDED_BY(mutex_) = 0;  // Requests that may run one.
};

}  // namespace davit::test

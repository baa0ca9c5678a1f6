/// Reviews, while a host runs, whether it has the rights that its controllers declare.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/process/needed_rights.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Reviews all rights at the start, every kPeriod, and soon after a request was refused; those of
/// controllers that come, and some that are missing, every kAgain. It delays nothing and fails
/// nothing: a right that the server does not review keeps its last answer, and without one it is
/// unknown and not reported.
class RightsPreflight {
 public:
  /// Rights seldom change while nothing is refused.
  static constexpr Duration kPeriod = std::chrono::minutes(10);
  /// Refusals can have causes that no review shows, and then do not end: there is no more than one
  /// review of all rights in this time.
  static constexpr Duration kAfterRefusal = std::chrono::minutes(2);
  /// A right that was granted is seen soon.
  static constexpr Duration kAgain = std::chrono::seconds(30);
  /// So many rights of an account that are not allowed show whether a role was granted.
  static constexpr std::size_t kAgainMax = 20;

  /// The rights that a controller lacks, each as text_of() has it; the host's under
  /// kRightsOfTheHost. Every controller that needs a right has an entry.
  using Missing = std::map<std::string, std::set<std::string>>;

  /// All are called on the thread of the preflight and must outlive it.
  struct Seams {
    Clock& clock;
    /// The controllers that run now.
    std::function<std::vector<DeclaredController>()> controllers;
    /// The client of an account, "" for the host's; null: not to be asked now.
    std::function<RestClient*(const std::string& account)> client_of;
    /// The number of requests that the server has refused.
    std::function<std::uint64_t()> refusals;
    /// Receives the result of each round.
    std::function<void(const Missing&)> report;
  };

  RightsPreflight(RightsTerms terms, Seams seams, Logger log);
  RightsPreflight(const RightsPreflight&) = delete;
  RightsPreflight& operator=(const RightsPreflight&) = delete;

  /// Starts the thread; the destructor ends it. kUnavailable: the system has none.
  Status start();

  /// Reviews what is due. Returns when to call again. Belongs to one thread: that of start(), or
  /// the caller's without start().
  Time step(const std::stop_token& stop);

 private:
  enum class Answer { kAllowed, kMissing, kUnknown };

  enum class Round { kFull, kRest };

  [[nodiscard]] Round next_round();
  void review(const std::string& account, const RightsOwners& owners, Round round,
              const std::stop_token& stop);
  void publish(const std::map<std::string, RightsOwners>& needed);

  const RightsTerms terms_;
  const Seams seams_;
  const Logger log_;
  std::map<std::string, std::map<Right, Answer>> answers_;  // The first key is the account.
  Time full_due_ = Time::min();
  Time earliest_ = Time::min();  // The next full round after a refusal.
  std::uint64_t refusals_ = 0;   // Those before the last full round.
  Missing logged_;               // As the log has it; without controllers that lack nothing.
  std::map<std::string, std::string> failures_;  // The last one of each account in the log.
  std::jthread thread_;                          // Last: it uses the others.
};

/// A line for each controller that lacks rights, for the operator: with kRightsInLine of them at
/// most, and the number of the others.
inline constexpr std::size_t kRightsInLine = 5;
[[nodiscard]] std::vector<std::string> lines_of(const RightsPreflight::Missing& missing);

}  // namespace davit::host

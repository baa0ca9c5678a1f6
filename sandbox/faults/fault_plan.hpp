/// Decides which rules hit. Pure: the same seed and the same requests give the same faults.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/random.hpp"
#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// A rule that hits.
struct FaultHit {
  std::uint64_t id = 0;
  std::shared_ptr<const FaultRule> rule;
  Revision revision = 0;  ///< The store's when the rule was added.
};

/// The faults that hit one request, at most one of each kind. Several rules may hit one request.
struct RequestFaults {
  std::vector<FaultHit> hits;  ///< In the rules' order.

  [[nodiscard]] const FaultHit* find(FaultKind kind) const;
};

/// The rules in their order, each with its own random numbers, so that adding or removing one
/// leaves the others' luck alone. Not thread-safe.
class FaultPlan {
 public:
  explicit FaultPlan(std::uint64_t seed) : seed_(seed) {}

  /// Returns the rule's id. `revision`: the store's.
  std::uint64_t add(FaultRule rule, Time now, Revision revision);
  /// Whether there was one.
  bool remove(std::uint64_t id);
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  [[nodiscard]] std::vector<std::uint64_t> ids() const;

  /// The faults of a request that begins: all kinds but kGap. If several rules replace the response
  /// (kStatus, kReset), only the first one applies.
  [[nodiscard]] RequestFaults on_request(const RequestFacts& request_facts, Time now);
  /// Whether rule `id` also affects a watch that was open when the rule was added.
  [[nodiscard]] std::optional<FaultHit> on_open_watch(std::uint64_t id,
                                                      const RequestFacts& request_facts, Time now);
  /// Whether a watch leaves out this event.
  [[nodiscard]] bool loses(const RequestFacts& request_facts, const EventFacts& event, Time now);
  /// Whether loses() needs to be asked at all.
  [[nodiscard]] bool may_lose_events() const { return gap_rules_ > 0; }
  /// Whether a rule needs to know the user.
  [[nodiscard]] bool asks_for_user() const { return user_rules_ > 0; }

  /// The rule as it was written, with `id`, and how often it has `matched` and `hit`.
  [[nodiscard]] Json describe(std::uint64_t id) const;

 private:
  struct Active {
    std::shared_ptr<const FaultRule> rule;
    Time added;
    Revision revision;
    std::unique_ptr<Random> random;
    std::uint64_t matched = 0;
    std::uint64_t hits = 0;
  };
  [[nodiscard]] static bool awake(const Active& active, Time now);
  /// Counts a match, and says whether it is a hit.
  [[nodiscard]] static bool strike(Active& active);
  void count_needs(const FaultRule& rule, int step);

  std::uint64_t seed_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Active> rules_;
  int gap_rules_ = 0;
  int user_rules_ = 0;
};

}  // namespace davit::sandbox

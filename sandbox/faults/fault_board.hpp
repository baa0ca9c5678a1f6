/// The rules in force and the watches that they may befall.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/faults/fault_plan.hpp"
#include "sandbox/faults/watch_faults.hpp"
#include "sandbox/store/subscribers.hpp"

namespace davit::sandbox {

/// FaultPlan and one WatchFaults per watch, behind one lock. Thread-safe. A new rule also applies
/// to open watches; removing a rule releases them.
class FaultBoard {
 public:
  using WatchId = std::uint64_t;

  /// `clock` must outlive the board.
  FaultBoard(Clock& clock, std::uint64_t seed) : clock_(clock), plan_(seed) {}

  /// The ids of the new rules. `revision`: the store's.
  std::vector<std::uint64_t> add(FaultScript script, Revision revision) EXCLUDES(mutex_);
  /// Whether there was one.
  bool remove(std::uint64_t id) EXCLUDES(mutex_);
  void clear() EXCLUDES(mutex_);
  /// Implements FaultPlan::describe(); null if there is no such rule.
  [[nodiscard]] Json describe(std::uint64_t id) const EXCLUDES(mutex_);
  [[nodiscard]] Json describe_all() const EXCLUDES(mutex_);

  [[nodiscard]] bool asks_for_user() const EXCLUDES(mutex_);
  [[nodiscard]] RequestFaults on_request(const RequestFacts& request_facts) EXCLUDES(mutex_);

  /// Registers an open watch. `ready` is called on any thread and outside every lock when rules
  /// change what happens to it, until close_watch() returns.
  [[nodiscard]] WatchId open_watch(RequestFacts request_facts, const RequestFaults& faults)
      EXCLUDES(mutex_);
  void on_ready(WatchId watch, std::function<void()> ready) EXCLUDES(mutex_);
  void close_watch(WatchId watch) EXCLUDES(mutex_);

  /// Whether nothing can befall the watch as the rules are.
  [[nodiscard]] bool is_unaffected(WatchId watch) const EXCLUDES(mutex_);
  [[nodiscard]] WatchFaults::Verdict verdict(WatchId watch) EXCLUDES(mutex_);
  /// After verdict() said kDeliver: whether the event goes out, and does not get lost.
  [[nodiscard]] bool deliver(WatchId watch, const EventFacts& event) EXCLUDES(mutex_);
  [[nodiscard]] Time next_change(WatchId watch) const EXCLUDES(mutex_);

 private:
  struct Watch {
    RequestFacts request_facts;
    WatchFaults faults;
    std::shared_ptr<const Listener> listener;  ///< Null before on_ready().
  };
  using Listeners = std::vector<std::shared_ptr<const Listener>>;

  void apply_to_open_watches(std::uint64_t rule, Listeners& listeners) REQUIRES(mutex_);
  bool let_go(std::uint64_t rule, Listeners& listeners) REQUIRES(mutex_);

  Clock& clock_;
  mutable Mutex mutex_;
  FaultPlan plan_ GUARDED_BY(mutex_);
  std::map<WatchId, Watch> watches_ GUARDED_BY(mutex_);
  WatchId last_watch_ GUARDED_BY(mutex_) = 0;
};

}  // namespace davit::sandbox

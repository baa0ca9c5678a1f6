/// JobMemory: what the controller knows of a Job that its caches do not show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/expectations.hpp>
#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugins/job/backoff_plan.hpp"
#include "plugins/job/job.hpp"

namespace davit::job {

/// One record per Job, and a record of another Job with the same name counts as absent:
/// expectations, awaited finalizer removals, back-off, and whether its end is written. Thread-safe:
/// handlers observe while syncs write. Never reads a clock. Rule: docs/spec/job.md, 6, and Q2 for
/// the UIDs.
class JobMemory {
 public:
  // ---- Creations and deletions that the cache has not seen ----

  /// Replaces what was expected for the Job.
  void expect(const JobId& job, ExpectationCounts counts, Time now);
  void creation_observed(const JobId& job, std::size_t count = 1);
  void deletion_observed(const JobId& job);
  /// Whether pods may be created and deleted: nothing is expected, or not for five minutes.
  [[nodiscard]] bool satisfied(const JobId& job, Time now) const;
  /// The line of Expectations::waits for the Job of that name.
  [[nodiscard]] std::string waits(const Key& key, Time now) const;

  // ---- Finalizers that are gone, while the cache still shows them ----

  void await_removals(const JobId& job, const std::vector<std::string>& pod_uids);
  void removal_observed(const JobId& job, std::string_view pod_uid);
  [[nodiscard]] std::set<std::string, std::less<>> awaited_removals(const JobId& job) const;

  // ---- Back-off and end ----

  [[nodiscard]] Backoff backoff(const JobId& job) const;
  void set_backoff(const JobId& job, const Backoff& backoff);
  /// The terminal condition is written; the Job needs nothing more.
  void mark_finished(const JobId& job);
  [[nodiscard]] bool is_finished(const JobId& job) const;

  /// Forgets the Job with this name.
  void forget(const Key& key);

  /// All of it, for a HandedState.
  void write(JsonWriter& out) const;
  [[nodiscard]] Status read(Value state, Time now);

 private:
  struct Record {
    std::string uid;
    ExpectationCounts expected = {};
    Time expected_since{};
    std::set<std::string, std::less<>> awaited = {};
    Backoff backoff = {};
    bool finished = false;
  };

  /// Null if there is none. With mutex_ held, as the other private functions.
  [[nodiscard]] const Record* find(const JobId& job) const;
  [[nodiscard]] Record* find(const JobId& job);
  [[nodiscard]] Record& make(const JobId& job);

  mutable std::mutex mutex_;
  std::unordered_map<Key, Record> records_;  // Guarded by mutex_.
};

}  // namespace davit::job

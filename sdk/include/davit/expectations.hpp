/// Expectations: what a controller has asked for and not yet seen in its cache, so that it does not
/// ask twice (pkg/controller, ControllerExpectations and UIDTrackingControllerExpectations).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/key.hpp>
#include <davit/state_fields.hpp>
#include <davit/time.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace davit {

/// Counters of one controller key.
struct ExpectationCounts {
  std::int64_t additions = 0;
  std::int64_t deletions = 0;

  friend bool operator==(const ExpectationCounts&, const ExpectationCounts&) = default;
};

/// The key in the path of the page "waits/KEY" (Controller::debug), which `davit why` requests from
/// each controller: a line for everything for which the controller waits with that key, and an
/// empty page for nothing. Nothing: the path is that of another page.
[[nodiscard]] std::optional<Key> key_of_waits_page(std::string_view path);

/// The line of that page for outstanding counts: "waits until its cache shows 2 creations and 1
/// deletion of its own (expectation), at most another 290 s".
[[nodiscard]] std::string waits_text(const ExpectationCounts& counts, Duration left);

/// Counts creations and deletions per controller key. Thread-safe: handlers observe while syncs
/// set. Takes `now` where it matters, never reads a clock.
class Expectations {
 public:
  /// Expectations older than this count as fulfilled: an event may have been lost.
  static constexpr std::chrono::minutes kLifetime{5};

  /// Replaces what was expected for the key.
  void set(const Key& key, ExpectationCounts counts, Time now);
  void expect_creations(const Key& key, std::size_t count, Time now) {
    set(key, {static_cast<std::int64_t>(count), 0}, now);
  }
  void expect_deletions(const Key& key, std::size_t count, Time now) {
    set(key, {0, static_cast<std::int64_t>(count)}, now);
  }

  /// Lowers a counter, which may become negative. Nothing without a record.
  void creation_observed(const Key& key, std::size_t count = 1) {
    lower(key, {static_cast<std::int64_t>(count), 0});
  }
  void deletion_observed(const Key& key, std::size_t count = 1) {
    lower(key, {0, static_cast<std::int64_t>(count)});
  }

  /// Whether a sync may create and delete: nothing recorded, all seen, or too old to trust.
  [[nodiscard]] bool satisfied(const Key& key, Time now) const;

  /// The line of the page "waits/KEY" for this key; empty while satisfied().
  [[nodiscard]] std::string waits(const Key& key, Time now) const;

  /// Forgets the key.
  void erase(const Key& key);

  /// The outstanding counts; nothing without a record.
  [[nodiscard]] std::optional<ExpectationCounts> outstanding(const Key& key) const;

  /// The whole content, for a HandedState.
  struct Entry {
    Key key;
    ExpectationCounts counts;
    Time since;
  };
  [[nodiscard]] std::vector<Entry> entries() const;
  void replace(const std::vector<Entry>& entries);

 private:
  struct Record {
    ExpectationCounts counts;
    Time since;
  };

  void lower(const Key& key, ExpectationCounts by);

  mutable std::mutex mutex_;
  std::unordered_map<Key, Record> records_;  // Guarded by mutex_.
};

/// Expectations that know which objects are to be deleted, so that a graceful deletion, first seen
/// as an update and later as a delete, counts once. Thread-safe.
class TrackingExpectations {
 public:
  /// Same as Expectations::expect_creations; the awaited deletions stay as they are.
  void expect_creations(const Key& key, std::size_t count, Time now) {
    counts_.expect_creations(key, count, now);
  }
  void creation_observed(const Key& key, std::size_t count = 1) {
    counts_.creation_observed(key, count);
  }

  /// Replaces the objects awaited for the key.
  void expect_deletions(const Key& key, const std::vector<Key>& objects, Time now) {
    expect(key, 0, objects, now);
  }
  /// Replaces both.
  void expect(const Key& key, std::size_t creations, const std::vector<Key>& deletions, Time now);
  /// Counts only if `object` is awaited, and then once.
  void deletion_observed(const Key& key, const Key& object);

  [[nodiscard]] bool satisfied(const Key& key, Time now) const {
    return counts_.satisfied(key, now);
  }
  /// As Expectations::waits.
  [[nodiscard]] std::string waits(const Key& key, Time now) const {
    return counts_.waits(key, now);
  }
  void erase(const Key& key);
  [[nodiscard]] std::optional<ExpectationCounts> outstanding(const Key& key) const {
    return counts_.outstanding(key);
  }

  /// Writes all of it as a list, for a HandedState.
  void write(JsonWriter& out) const;
  /// Takes over the list that is the member `name` of `state`, unless something is not as it should
  /// be there.
  [[nodiscard]] Status read(const StateFields& state, std::string_view name, Time now);

 private:
  Expectations counts_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::set<Key>> awaited_;  // Guarded by mutex_.
};

}  // namespace davit

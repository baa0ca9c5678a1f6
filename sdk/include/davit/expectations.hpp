/// Expectations: what a controller has asked for and not yet seen in its cache, so that it does not
/// ask twice (pkg/controller, ControllerExpectations and UIDTrackingControllerExpectations).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/key.hpp>
#include <davit/mutant.hpp>
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

/// The key in the path of the page "waits/KEY" (Controller::debug), which `davit why` asks each
/// controller for: a line for everything that the controller waits for with that key, and an empty
/// page for nothing. Nothing: the path is that of another page.
[[nodiscard]] inline std::optional<Key> key_of_waits_page(std::string_view path) {
  constexpr std::string_view kPrefix = "waits/";
  if (!path.starts_with(kPrefix)) return std::nullopt;
  return Key::parse(path.substr(kPrefix.size()));
}

/// The line of that page for counts that are outstanding: "waits until its cache shows 2 creations
/// and 1 deletion of its own (expectation), at most another 290 s".
[[nodiscard]] inline std::string waits_text(const ExpectationCounts& counts, Duration left) {
  const auto counted = [](std::int64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string out = "waits until its cache shows ";
  if (counts.additions > 0) out += counted(counts.additions, "creation");
  if (counts.additions > 0 && counts.deletions > 0) out += " and ";
  if (counts.deletions > 0) out += counted(counts.deletions, "deletion");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left).count();
  return out + " of its own (expectation), at most another " + std::to_string(seconds) + " s";
}

/// Counts creations and deletions per controller key. Thread-safe: handlers observe while syncs
/// set. Takes `now` where it matters, never reads a clock.
class Expectations {
 public:
  /// Expectations older than this count as fulfilled: an event may have been lost.
  static constexpr std::chrono::minutes kLifetime{5};

  /// Replaces what was expected for the key.
  void set(const Key& key, ExpectationCounts counts, Time now) {
    const std::lock_guard lock(mutex_);
    records_[key] = Record{counts, now};
  }
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
  [[nodiscard]] bool satisfied(const Key& key, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    if (found == records_.end() || mutant("expectations")) return true;
    const auto& [counts, since] = found->second;
    return (counts.additions <= 0 && counts.deletions <= 0) || now - since > kLifetime;
  }

  /// The line of the page "waits/KEY" for this key; empty while satisfied().
  [[nodiscard]] std::string waits(const Key& key, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    if (found == records_.end()) return {};
    const auto& [counts, since] = found->second;
    const bool is_seen = counts.additions <= 0 && counts.deletions <= 0;
    if (is_seen || now - since > kLifetime) return {};
    return waits_text(counts, since + kLifetime - now);
  }

  /// Forgets the key.
  void erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    records_.erase(key);
  }

  /// The outstanding counts; nothing without a record.
  [[nodiscard]] std::optional<ExpectationCounts> outstanding(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    return found == records_.end() ? std::nullopt : std::optional(found->second.counts);
  }

  /// The whole content, for a HandedState.
  struct Entry {
    Key key;
    ExpectationCounts counts;
    Time since;
  };
  [[nodiscard]] std::vector<Entry> entries() const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> all;
    for (const auto& [key, record] : records_) all.push_back({key, record.counts, record.since});
    return all;
  }
  void replace(const std::vector<Entry>& entries) {
    const std::lock_guard lock(mutex_);
    records_.clear();
    for (const Entry& each : entries) records_[each.key] = Record{each.counts, each.since};
  }

 private:
  struct Record {
    ExpectationCounts counts;
    Time since;
  };

  void lower(const Key& key, ExpectationCounts by) {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    if (found == records_.end()) return;
    found->second.counts.additions -= by.additions;
    found->second.counts.deletions -= by.deletions;
  }

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
  void expect(const Key& key, std::size_t creations, const std::vector<Key>& deletions, Time now) {
    std::set<Key> awaited(deletions.begin(), deletions.end());
    const ExpectationCounts counts{static_cast<std::int64_t>(creations),
                                   static_cast<std::int64_t>(awaited.size())};
    {
      const std::lock_guard lock(mutex_);
      awaited_[key] = std::move(awaited);
    }
    counts_.set(key, counts, now);
  }
  /// Counts only if `object` is awaited, and then once.
  void deletion_observed(const Key& key, const Key& object) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = awaited_.find(key);
      if (found == awaited_.end() || found->second.erase(object) == 0) return;
    }
    counts_.deletion_observed(key);
  }

  [[nodiscard]] bool satisfied(const Key& key, Time now) const {
    return counts_.satisfied(key, now);
  }
  /// As Expectations::waits.
  [[nodiscard]] std::string waits(const Key& key, Time now) const {
    return counts_.waits(key, now);
  }
  void erase(const Key& key) {
    if (mutant("expectations-of-namesake")) return;
    {
      const std::lock_guard lock(mutex_);
      awaited_.erase(key);
    }
    counts_.erase(key);
  }
  [[nodiscard]] std::optional<ExpectationCounts> outstanding(const Key& key) const {
    return counts_.outstanding(key);
  }

  /// Writes all of it as a list, for a HandedState.
  void write(JsonWriter& out) const {
    const std::lock_guard lock(mutex_);
    out.begin_array();
    for (const Expectations::Entry& each : counts_.entries()) {
      out.begin_object().member("key", each.key.text());
      out.member("additions", each.counts.additions).member("deletions", each.counts.deletions);
      out.member("since", state_time(each.since)).key("awaited").begin_array();
      if (const auto found = awaited_.find(each.key); found != awaited_.end()) {
        for (const Key& object : found->second) out.string(object.text());
      }
      out.end_array().end_object();
    }
    out.end_array();
  }
  /// Takes over the list that is the member `name` of `state`, unless something is not as it should
  /// be there.
  [[nodiscard]] Status read(const StateFields& state, std::string_view name, Time now) {
    // Far more than a sync creates, and far from where sums of them overflow.
    constexpr StateFields::Range kCounts = {-1'000'000'000, 1'000'000'000};
    std::vector<Expectations::Entry> entries;
    std::unordered_map<Key, std::set<Key>> awaited;
    for (const Value element : state.array(name).elements()) {
      const StateFields each = state.element(element);
      const Key key = Key::parse(each.text("key"));
      entries.push_back({key,
                         {each.integer("additions", kCounts), each.integer("deletions", kCounts)},
                         each.past("since", now)});
      for (const std::string& object : each.texts("awaited")) {
        awaited[key].insert(Key::parse(object));
      }
    }
    if (!state.status().ok()) return state.status();
    const std::lock_guard lock(mutex_);
    awaited_ = std::move(awaited);
    counts_.replace(entries);
    return {};
  }

 private:
  Expectations counts_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::set<Key>> awaited_;  // Guarded by mutex_.
};

}  // namespace davit

/// The past changes that a collection still keeps.
#pragma once

#include <deque>
#include <vector>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The changes of one collection, oldest first, with strictly rising revisions. Complete for every
/// revision above floor(). Not thread-safe: the store's lock covers it.
class History {
 public:
  /// An entry, and when it was made.
  struct Entry {
    Change change;
    Time at;

    [[nodiscard]] Revision revision() const { return change.object->revision; }
  };

  explicit History(Revision floor) : floor_(floor) {}

  /// Adds the newest change and drops those beyond `limits`.
  void push(Change change, Time now, const StoreLimits& limits);
  /// Forgets everything up to `revision`.
  void forget(Revision revision);
  /// Forgets the oldest change; there must be one.
  void forget_oldest();
  /// The memory of its changes and of the versions that only they keep: those that were replaced or
  /// deleted.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Changes up to here are forgotten.
  [[nodiscard]] Revision floor() const { return floor_; }
  /// At most `max` changes after `after`, which is not below floor().
  [[nodiscard]] std::vector<Change> after(Revision after, std::size_t max) const;
  /// Oldest first: what a list of the past has to undo, from the end.
  [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }

 private:
  [[nodiscard]] std::deque<Entry>::const_iterator first_after(Revision revision) const;

  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  Revision floor_;
};

}  // namespace davit::sandbox

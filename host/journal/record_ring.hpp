/// Records in a bounded memory, the oldest of which go first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/journal/text_table.hpp"
#include "host/journal/work_record.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Some records one after the other, packed: texts once, numbers and times as varints, times as the
/// distance from the first record. A record costs some 20 to 60 bytes, plus names that are new.
class RecordChunk {
 public:
  /// `base` is the time of its first record.
  explicit RecordChunk(Time base) : base_(base) {}

  void append(const WorkRecord& record);
  /// No more records come.
  void seal();
  /// Appends its records to `out`, oldest first.
  void read(std::vector<WorkRecord>& out) const;

  [[nodiscard]] Time base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return packed_.capacity() + texts_.bytes(); }

 private:
  Time base_;
  std::string packed_;
  TextTable texts_;
};

/// Not thread-safe. Grows with what comes; an empty one has no memory.
class RecordRing {
 public:
  /// `bytes_max` is kept to but for one record, which may be larger than all of it.
  explicit RecordRing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void append(const WorkRecord& record);

  /// Its records as of now. Cheap to take: only the last chunk is copied.
  using Snapshot = std::vector<std::shared_ptr<const RecordChunk>>;
  [[nodiscard]] Snapshot snapshot() const;

  /// The time of the first record that was forgotten no more; nothing while none was forgotten.
  [[nodiscard]] std::optional<Time> reaches_back_to() const;
  [[nodiscard]] std::size_t bytes() const { return sealed_bytes_ + (open_ ? open_->bytes() : 0); }

 private:
  void seal_open();

  const std::size_t bytes_max_;
  std::deque<std::shared_ptr<const RecordChunk>> sealed_;  // Oldest first.
  std::size_t sealed_bytes_ = 0;
  std::unique_ptr<RecordChunk> open_;
  bool has_forgotten_ = false;
};

}  // namespace davit::host

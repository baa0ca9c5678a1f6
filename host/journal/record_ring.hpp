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
  /// No more records come: gives up spare memory.
  void seal();
  /// Appends its records to `out`, oldest first.
  void read(std::vector<WorkRecord>& out) const;

  [[nodiscard]] Time base() const { return base_; }
  /// When its last record began.
  [[nodiscard]] Time last() const { return last_; }
  /// The memory that the allocator gave for it, itself included.
  [[nodiscard]] std::size_t bytes() const;

 private:
  Time base_;
  Time last_ = base_;
  std::string packed_;
  TextTable texts_;
};

/// Not thread-safe. Grows until its owner calls forget_oldest(); an empty one has no memory.
class RecordRing {
 public:
  /// `chunk_bytes`: the size from which a chunk is sealed, and so what is forgotten at once.
  explicit RecordRing(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

  void append(const WorkRecord& record);
  /// When its oldest record began; nothing: it is empty.
  [[nodiscard]] std::optional<Time> oldest() const;
  /// Drops the oldest chunk. Does nothing if there is none.
  void forget_oldest();

  /// Its records as of now. Cheap to take: only the last chunk is copied.
  using Snapshot = std::vector<std::shared_ptr<const RecordChunk>>;
  [[nodiscard]] Snapshot snapshot() const;

  /// The time since which every record is here; nothing: none was forgotten.
  [[nodiscard]] std::optional<Time> reaches_back_to() const { return reaches_back_to_; }
  [[nodiscard]] std::size_t bytes() const { return sealed_bytes_ + (open_ ? open_->bytes() : 0); }

 private:
  void seal_open();

  const std::size_t chunk_bytes_;
  std::deque<std::shared_ptr<const RecordChunk>> sealed_;  // Oldest first.
  std::size_t sealed_bytes_ = 0;
  std::unique_ptr<RecordChunk> open_;
  std::optional<Time> reaches_back_to_;
};

}  // namespace davit::host

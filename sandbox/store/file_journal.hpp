/// The store's journal in a file: a snapshot, then the log of what was written since.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/unique_fd.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

struct FileJournalLimits {
  /// The log is rewritten as a snapshot when it has needs_snapshot the last one and has at least so
  /// many bytes: a small file is not worth the work, and is read back in a few milliseconds.
  std::size_t log_bytes_min = 4U << 20U;
};

/// append() returns after write(2), so an acknowledged write survives the end of the process, kill
/// -9 included. It is not synchronised to the disk: a power failure may cost the last seconds. A
/// snapshot is synchronised before it replaces the file.
///
/// The file is locked while the journal lives. It holds Secrets, so only its owner may read it.
/// Thread-safe.
class FileJournal final : public Journal {
 public:
  /// Reads the file, or makes one, and cuts a torn write off its end. kConflict when another
  /// process has it, kInvalid when it is damaged (file and offset are named), kUnavailable when the
  /// system refuses. `log`'s sink must outlive the journal.
  [[nodiscard]] static Result<std::unique_ptr<FileJournal>> open(std::string path, Logger log,
                                                                 FileJournalLimits limits = {});

  /// Use open().
  FileJournal(std::string path, Logger log, FileJournalLimits limits, UniqueFd file)
      : path_(std::move(path)), log_(std::move(log)), limits_(limits), file_(std::move(file)) {}

  /// Puts what the file held into a store that nothing was written to.
  void restore_into(Store& store) const EXCLUDES(mutex_);

  Status append(const Collection& collection, const Change& change) override EXCLUDES(mutex_);
  void after_write() override EXCLUDES(mutex_);

 private:
  using Objects =
      std::map<std::pair<std::string, std::string>, VersionPtr>;  // The key is namespace and name.
  struct Compaction {
    Status status;
    std::size_t bytes_before;
    std::size_t bytes_after;
  };

  Status load() EXCLUDES(mutex_);
  void keep(const Collection& collection, const VersionPtr& object) REQUIRES(mutex_);
  void forget(const Collection& collection, const VersionPtr& object) REQUIRES(mutex_);
  [[nodiscard]] bool needs_snapshot() const REQUIRES(mutex_);
  Compaction compact() REQUIRES(mutex_);
  /// Everything as a new file at `path`, locked and synchronised; its length goes to `bytes`.
  Result<UniqueFd> write_snapshot(const std::string& path, std::size_t& bytes) const
      REQUIRES(mutex_);

  const std::string path_;
  const Logger log_;
  const FileJournalLimits limits_;

  mutable Mutex mutex_;
  UniqueFd file_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;           // The size of the file.
  std::size_t snapshot_bytes_ GUARDED_BY(mutex_) = 0;  // Its start that was written in one go.
  Status broken_ GUARDED_BY(mutex_);                   // Set: nothing is written any more.
  Revision revision_ GUARDED_BY(mutex_) = 0;           // 0: nothing was ever written.
  std::map<Collection, Objects> objects_ GUARDED_BY(mutex_);  // The content of a snapshot.
};

}  // namespace davit::sandbox

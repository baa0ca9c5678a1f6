#include "sandbox/store/file_journal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "lib/base/replace_file.hpp"
#include "sandbox/store/journal_record.hpp"
#include "sandbox/store/locked_file.hpp"

namespace davit::sandbox {

namespace {

/// A snapshot is written in blocks of about so many bytes: few calls, little memory.
constexpr std::size_t kBlockBytes = 1U << 20U;

JournalRecord revision_record(Revision revision) {
  Version version;
  version.revision = revision;
  return {JournalRecord::Kind::kRevision, {}, std::make_shared<const Version>(std::move(version))};
}

}  // namespace

Result<std::unique_ptr<FileJournal>> FileJournal::open(std::string path, Logger log,
                                                       FileJournalLimits limits) {
  // Snapshots replace the file that a link leads to, and leave the link.
  Result<std::string> target = follow_links(path);
  if (!target) return target.error();
  path = std::move(*target);
  Result<UniqueFd> file = open_locked(path);
  if (!file) return file.error().with_context(path);
  auto journal =
      std::make_unique<FileJournal>(std::move(path), std::move(log), limits, std::move(*file));
  if (Status loaded = journal->load(); !loaded.ok()) return loaded.with_context(journal->path_);
  return journal;
}

Status FileJournal::load() {
  std::size_t torn = 0;
  {
    MutexLock lock(mutex_);
    const Result<std::string> content = read_all(file_.get());
    if (!content) return content.error();
    Result<ParsedJournal> parsed = parse_journal(*content);
    if (!parsed) return parsed.error();
    for (const JournalRecord& each : parsed->records) {
      revision_ = std::max(revision_, each.object->revision);
      if (each.kind == JournalRecord::Kind::kPut) keep(each.collection, each.object);
      if (each.kind == JournalRecord::Kind::kRemove) forget(each.collection, each.object);
    }
    bytes_ = parsed->bytes;
    torn = content->size() - bytes_;
    if (torn > 0 && ::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) {
      return system_error("ftruncate");
    }
    if (bytes_ == 0) {
      if (Status begun = write_at(file_.get(), kJournalMagic, 0); !begun.ok()) return begun;
      bytes_ = kJournalMagic.size();
    }
  }
  if (torn > 0) {
    log_.warning("Removed an unfinished write from the end of the file",
                 {{"file", path_}, {"bytes", torn}});
  }
  return {};
}

void FileJournal::restore_into(Store& store) const {
  // Copied first: append() comes with the store's lock held, so that one is never asked for here.
  std::map<Collection, Objects> kept;
  Revision revision = 0;
  {
    MutexLock lock(mutex_);
    kept = objects_;
    revision = revision_;
  }
  if (revision == 0) return;
  for (const auto& [collection, objects] : kept) {
    for (const auto& [name, object] : objects) store.restore(collection, object);
  }
  store.restore_revision(revision);
}

Status FileJournal::append(const Collection& collection, const Change& change) {
  const bool removed = change.type == ChangeType::kDeleted;
  const Result<std::string> record =
      encode_record({removed ? JournalRecord::Kind::kRemove : JournalRecord::Kind::kPut, collection,
                     change.object});
  if (!record) return record.error();
  MutexLock lock(mutex_);
  if (!broken_.ok()) return broken_;
  if (Status written = write_at(file_.get(), *record, bytes_); !written.ok()) {
    // Half a record must not stay in front of the next one.
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) broken_ = written;
    return written.with_context(path_);
  }
  bytes_ += record->size();
  revision_ = change.object->revision;
  if (removed) {
    forget(collection, change.object);
  } else {
    keep(collection, change.object);
  }
  return {};
}

void FileJournal::after_write() {
  Compaction done;
  {
    MutexLock lock(mutex_);
    if (!needs_snapshot()) return;
    done = compact();
  }
  if (done.status.ok()) {
    log_.info(2, "Wrote a snapshot",
              {{"file", path_}, {"before", done.bytes_before}, {"after", done.bytes_after}});
  } else {
    log_.warning("Could not write a snapshot; the log continues to grow",
                 {{"file", path_}, {"err", done.status.message()}});
  }
}

void FileJournal::keep(const Collection& collection, const VersionPtr& object) {
  objects_[collection][{object->ns, object->name}] = object;
}

void FileJournal::forget(const Collection& collection, const VersionPtr& object) {
  objects_[collection].erase({object->ns, object->name});
}

bool FileJournal::needs_snapshot() const {
  return broken_.ok() &&
         bytes_ - snapshot_bytes_ > std::max(limits_.log_bytes_min, snapshot_bytes_);
}

FileJournal::Compaction FileJournal::compact() {
  const std::string fresh = path_ + ".new";
  Compaction done{{}, bytes_, bytes_};
  std::size_t bytes = 0;
  Result<UniqueFd> file = write_snapshot(fresh, bytes);
  if (file && std::rename(fresh.c_str(), path_.c_str()) != 0) file = system_error("rename");
  if (!file) {
    ::unlink(fresh.c_str());
    snapshot_bytes_ = bytes_;  // Tried again when the log has doubled.
    done.status = file.error();
    return done;
  }
  file_ = std::move(*file);
  bytes_ = bytes;
  snapshot_bytes_ = bytes;
  done.bytes_after = bytes;
  done.status = sync_directory_of(path_);
  return done;
}

Result<UniqueFd> FileJournal::write_snapshot(const std::string& path, std::size_t& bytes) const {
  Result<UniqueFd> file = create_locked(path);
  if (!file) return file;
  std::string block(kJournalMagic);
  const auto flush = [&] {
    Status written = write_at(file->get(), block, bytes);
    bytes += block.size();
    block.clear();
    return written;
  };
  const auto add = [&block](const JournalRecord& record) -> Status {
    const Result<std::string> encoded = encode_record(record);
    if (!encoded) return encoded.error();
    block += *encoded;
    return {};
  };
  if (Status added = add(revision_record(revision_)); !added.ok()) return added;
  for (const auto& [collection, objects] : objects_) {
    for (const auto& [name, object] : objects) {
      Status added = add({JournalRecord::Kind::kPut, collection, object});
      if (!added.ok()) return added;
      if (block.size() < kBlockBytes) continue;
      if (Status written = flush(); !written.ok()) return written;
    }
  }
  if (Status written = flush(); !written.ok()) return written;
  if (::fsync(file->get()) != 0) return system_error("fsync");
  return file;
}

}  // namespace davit::sandbox

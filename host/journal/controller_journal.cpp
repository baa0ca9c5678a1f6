#include "host/journal/controller_journal.hpp"

#include <cstring>
#include <utility>

#include "host/journal/journal.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host {
namespace {

/// A message of a server with the name of what is forbidden fits; a body does not.
constexpr std::size_t kTextBytesMax = 600;
/// More writes of one sync would only repeat these.
constexpr std::size_t kWritesMax = 2000;
/// The cost of a node of the map beside its key and value: links, hash and the allocator's header.
constexpr std::size_t kNodeBytes = 32;
/// The bytes that the allocator adds to a block: its header, rounded.
constexpr std::size_t kBlockBytes = 16;

/// The memory of a text outside of its std::string.
std::size_t heap_bytes(const std::string& text) {
  const std::size_t in_place = std::string().capacity();
  return text.capacity() <= in_place ? 0 : text.capacity() + 1 + kBlockBytes;
}

std::size_t heap_bytes(const Wake& wake) {
  return heap_bytes(wake.object.group) + heap_bytes(wake.object.resource) +
         heap_bytes(wake.object.ns) + heap_bytes(wake.object.name) + heap_bytes(wake.version);
}

std::string pending_key(std::uint64_t queue, std::string_view key) {
  std::string made(sizeof(queue), '\0');
  std::memcpy(made.data(), &queue, sizeof(queue));
  return made.append(key);
}

}  // namespace

std::string journal_text(std::string_view text) { return utf8_shortened(text, kTextBytesMax); }

void ControllerJournal::begin(Time now) {
  if (active_.exchange(true, std::memory_order_relaxed)) return;
  MutexLock lock(mutex_);
  began_ = now;
}

void ControllerJournal::woke(std::uint64_t queue, std::string_view key, const WakeNote& wake,
                             Time now) {
  if (!is_active()) return;
  host_.keep_to_limit(JournalPart::kPending);  // Before, so that this wake is kept.
  std::string place = pending_key(queue, key);
  MutexLock lock(mutex_);
  const auto [found, is_new] = pending_.try_emplace(std::move(place));
  Pending& pending = found->second;
  if (pending.wakes.size() >= kWakesMax) {
    ++pending.more;
    return;
  }
  const std::size_t before = is_new ? 0 : pending.bytes;
  if (is_new) {
    pending.bytes = kNodeBytes + sizeof(std::pair<const std::string, Pending>) +
                    sizeof(void*) /* its bucket */ + heap_bytes(found->first) + kBlockBytes;
  }
  const std::size_t capacity = pending.wakes.capacity();
  pending.wakes.push_back({.kind = wake.kind,
                           .object = {std::string(wake.group), std::string(wake.resource),
                                      std::string(wake.ns), std::string(wake.name)},
                           .version = std::string(wake.version),
                           .at = now});
  pending.bytes +=
      (pending.wakes.capacity() - capacity) * sizeof(Wake) + heap_bytes(pending.wakes.back());
  pending_bytes_ += pending.bytes - before;
  host_.count(JournalPart::kPending, pending.bytes - before);
}

void ControllerJournal::take(std::uint64_t queue, WorkRecord& record) {
  if (pending_.empty()) return;
  const auto found = pending_.find(pending_key(queue, record.key));
  if (found == pending_.end()) return;
  record.wakes = std::move(found->second.wakes);
  record.more_wakes = found->second.more;
  pending_bytes_ -= found->second.bytes;
  host_.uncount(JournalPart::kPending, found->second.bytes);
  pending_.erase(found);
}

void ControllerJournal::append(RecordRing& ring, const WorkRecord& record) {
  const JournalPart part = &ring == &acts_ ? JournalPart::kActs : JournalPart::kIdle;
  const std::size_t before = ring.bytes();
  ring.append(record);
  const std::size_t after = ring.bytes();
  if (after >= before) {
    host_.count(part, after - before);
  } else {
    host_.uncount(part, before - after);
  }
}

std::optional<Time> ControllerJournal::oldest(JournalPart part) {
  MutexLock lock(mutex_);
  return ring(part).oldest();
}

void ControllerJournal::forget_oldest(JournalPart part) {
  MutexLock lock(mutex_);
  const std::size_t before = ring(part).bytes();
  ring(part).forget_oldest();
  host_.uncount(part, before - ring(part).bytes());
}

std::size_t ControllerJournal::pending_bytes() const {
  MutexLock lock(mutex_);
  return pending_bytes_;
}

void ControllerJournal::forget_pending() {
  MutexLock lock(mutex_);
  pending_ = {};  // Also its buckets.
  host_.uncount(JournalPart::kPending, std::exchange(pending_bytes_, 0));
}

ControllerJournal::Snapshot ControllerJournal::snapshot() const {
  MutexLock lock(mutex_);
  const std::optional<Time> forgotten = acts_.reaches_back_to();
  Snapshot taken{acts_.snapshot(), idle_.snapshot(), {}, forgotten ? forgotten : began_};
  for (const JournaledWork* each : running_) {
    taken.running.push_back({.queue = each->record_.queue,
                             .key = each->record_.key,
                             .is_timer = each->record_.is_timer,
                             .generation = each->record_.generation,
                             .began = each->record_.began,
                             .request = each->request_,
                             .requested = each->requested_});
  }
  return taken;
}

std::vector<WorkRecord> ControllerJournal::recent(std::size_t count) const {
  RecordRing::Snapshot chunks;
  {
    MutexLock lock(mutex_);
    chunks = acts_.snapshot();
  }
  std::vector<WorkRecord> out;
  for (auto chunk = chunks.rbegin(); chunk != chunks.rend() && out.size() < count; ++chunk) {
    std::vector<WorkRecord> read;
    (*chunk)->read(read);
    for (auto each = read.rbegin(); each != read.rend() && out.size() < count; ++each) {
      out.push_back(std::move(*each));
    }
  }
  return out;
}

std::size_t ControllerJournal::bytes() const {
  MutexLock lock(mutex_);
  return acts_.bytes() + idle_.bytes() + pending_bytes_;
}

JournaledWork::JournaledWork(ControllerJournal& journal, const Start& start, Time now)
    : journal_(journal) {
  record_.began = now;
  record_.generation = start.generation;
  record_.queue = start.queue;
  record_.key = start.key;
  record_.is_timer = start.is_timer;
  record_.attempt = start.attempt;
  MutexLock lock(journal_.mutex_);
  if (!start.is_timer) journal_.take(start.queue_handle, record_);
  journal_.running_.push_back(this);
}

JournaledWork::~JournaledWork() {
  MutexLock lock(journal_.mutex_);
  leave();
}

void JournaledWork::leave() {
  if (!std::exchange(is_running_, false)) return;
  std::erase(journal_.running_, this);
}

void JournaledWork::requests(std::string what, Time now) {
  MutexLock lock(journal_.mutex_);
  request_ = std::move(what);
  requested_ = now;
}

void JournaledWork::wrote(Write write) {
  if (record_.writes.size() >= kWritesMax) {
    ++record_.more_writes;
    return;
  }
  write.message = journal_text(write.message);
  record_.writes.push_back(std::move(write));
}

void JournaledWork::end(const End& end, Time now) {
  constexpr std::int32_t kOk = 0;
  record_.took = now - record_.began;
  record_.code = end.code;
  record_.error = journal_text(end.error);
  record_.again = end.again;
  record_.is_retried = end.is_retried;
  const bool acted = !record_.writes.empty() || end.code != kOk;
  {
    MutexLock lock(journal_.mutex_);
    leave();
    // A timer that found nothing to do says nothing about any object.
    if (!acted && record_.is_timer) return;
    journal_.append(acted ? journal_.acts_ : journal_.idle_, record_);
  }
  journal_.host_.keep_to_limit(acted ? JournalPart::kActs : JournalPart::kIdle);
}

}  // namespace davit::host

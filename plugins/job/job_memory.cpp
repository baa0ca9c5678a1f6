#include "plugins/job/job_memory.hpp"

#include <davit/state_fields.hpp>
#include <utility>

namespace davit::job {

const JobMemory::Record* JobMemory::find(const JobId& job) const {
  const auto found = records_.find(job.key);
  return found == records_.end() || found->second.uid != job.uid ? nullptr : &found->second;
}

JobMemory::Record* JobMemory::find(const JobId& job) {
  return const_cast<Record*>(std::as_const(*this).find(job));
}

JobMemory::Record& JobMemory::make(const JobId& job) {
  Record& record = records_[job.key];
  if (record.uid != job.uid) record = Record{.uid = job.uid};
  return record;
}

void JobMemory::expect(const JobId& job, ExpectationCounts counts, Time now) {
  const std::lock_guard lock(mutex_);
  Record& record = make(job);
  record.expected = counts;
  record.expected_since = now;
}

void JobMemory::creation_observed(const JobId& job, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (Record* record = find(job)) record->expected.additions -= static_cast<std::int64_t>(count);
}

void JobMemory::deletion_observed(const JobId& job) {
  const std::lock_guard lock(mutex_);
  if (Record* record = find(job)) --record->expected.deletions;
}

bool JobMemory::satisfied(const JobId& job, Time now) const {
  const std::lock_guard lock(mutex_);
  const Record* record = find(job);
  if (record == nullptr) return true;
  return (record->expected.additions <= 0 && record->expected.deletions <= 0) ||
         now - record->expected_since > Expectations::kLifetime;
}

std::string JobMemory::waits(const Key& key, Time now) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end()) return {};
  const auto& [additions, deletions] = found->second.expected;
  const Duration left = found->second.expected_since + Expectations::kLifetime - now;
  if ((additions <= 0 && deletions <= 0) || left < Duration::zero()) return {};
  return waits_text(found->second.expected, left);
}

void JobMemory::await_removals(const JobId& job, const std::vector<std::string>& pod_uids) {
  if (pod_uids.empty()) return;
  const std::lock_guard lock(mutex_);
  make(job).awaited.insert(pod_uids.begin(), pod_uids.end());
}

void JobMemory::removal_observed(const JobId& job, std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  Record* record = find(job);
  if (record == nullptr) return;
  if (const auto found = record->awaited.find(pod_uid); found != record->awaited.end()) {
    record->awaited.erase(found);
  }
}

std::set<std::string, std::less<>> JobMemory::awaited_removals(const JobId& job) const {
  const std::lock_guard lock(mutex_);
  const Record* record = find(job);
  return record == nullptr ? std::set<std::string, std::less<>>() : record->awaited;
}

Backoff JobMemory::backoff(const JobId& job) const {
  const std::lock_guard lock(mutex_);
  const Record* record = find(job);
  return record == nullptr ? Backoff() : record->backoff;
}

void JobMemory::set_backoff(const JobId& job, const Backoff& backoff) {
  const std::lock_guard lock(mutex_);
  if (backoff == Backoff() && find(job) == nullptr) return;
  make(job).backoff = backoff;
}

void JobMemory::mark_finished(const JobId& job) {
  const std::lock_guard lock(mutex_);
  make(job).finished = true;
}

bool JobMemory::is_finished(const JobId& job) const {
  const std::lock_guard lock(mutex_);
  const Record* record = find(job);
  return record != nullptr && record->finished;
}

void JobMemory::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  records_.erase(key);
}

void JobMemory::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  for (const auto& [key, record] : records_) {
    out.begin_object().member("key", key.text()).member("uid", record.uid);
    out.member("additions", record.expected.additions);
    out.member("deletions", record.expected.deletions);
    out.member("since", state_time(record.expected_since)).key("awaited").begin_array();
    for (const std::string& uid : record.awaited) out.string(uid);
    out.end_array().member("failures", record.backoff.failures);
    out.member("lastFailure", format_micro_time(record.backoff.last_failure));
    out.member("finished", record.finished).end_object();
  }
  out.end_array();
}

Status JobMemory::read(Value state, Time now) {
  // Far more than a Job can have, and far from where sums of them overflow.
  constexpr StateFields::Range kCounts = {-1'000'000'000'000, 1'000'000'000'000};
  Status status;
  const StateFields fields(state, status);
  std::unordered_map<Key, Record> records;
  for (const Value element : fields.array("jobs").elements()) {
    const StateFields each = fields.element(element);
    Record record{.uid = each.text("uid")};
    record.expected = {each.integer("additions", kCounts), each.integer("deletions", kCounts)};
    record.expected_since = each.past("since", now);
    for (std::string& uid : each.texts("awaited")) record.awaited.insert(std::move(uid));
    record.backoff.failures = each.integer("failures", kCounts);
    const std::optional<WallTime> last = parse_time(each.text("lastFailure"));
    if (!last) each.refuse("lastFailure", "a time");
    record.backoff.last_failure = last.value_or(WallTime());
    record.finished = each.boolean("finished");
    records[Key::parse(each.text("key"))] = std::move(record);
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  records_ = std::move(records);
  return {};
}

}  // namespace davit::job

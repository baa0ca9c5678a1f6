#include <davit/expectations.hpp>
#include <davit/mutant.hpp>
#include <utility>

namespace davit {

std::optional<Key> key_of_waits_page(std::string_view path) {
  constexpr std::string_view kPrefix = "waits/";
  if (!path.starts_with(kPrefix)) return std::nullopt;
  return Key::parse(path.substr(kPrefix.size()));
}

std::string waits_text(const ExpectationCounts& counts, Duration left) {
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

void Expectations::set(const Key& key, ExpectationCounts counts, Time now) {
  const std::lock_guard lock(mutex_);
  records_[key] = Record{counts, now};
}

bool Expectations::satisfied(const Key& key, Time now) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end() || mutant("expectations")) return true;
  const auto& [counts, since] = found->second;
  return (counts.additions <= 0 && counts.deletions <= 0) || now - since > kLifetime;
}

std::string Expectations::waits(const Key& key, Time now) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end()) return {};
  const auto& [counts, since] = found->second;
  const bool is_seen = counts.additions <= 0 && counts.deletions <= 0;
  if (is_seen || now - since > kLifetime) return {};
  return waits_text(counts, since + kLifetime - now);
}

void Expectations::erase(const Key& key) {
  const std::lock_guard lock(mutex_);
  records_.erase(key);
}

std::optional<ExpectationCounts> Expectations::outstanding(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  return found == records_.end() ? std::nullopt : std::optional(found->second.counts);
}

std::vector<Expectations::Entry> Expectations::entries() const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> all;
  for (const auto& [key, record] : records_) all.push_back({key, record.counts, record.since});
  return all;
}

void Expectations::replace(const std::vector<Entry>& entries) {
  const std::lock_guard lock(mutex_);
  records_.clear();
  for (const Entry& each : entries) records_[each.key] = Record{each.counts, each.since};
}

void Expectations::lower(const Key& key, ExpectationCounts by) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  found->second.counts.additions -= by.additions;
  found->second.counts.deletions -= by.deletions;
}

void TrackingExpectations::expect(const Key& key, std::size_t creations,
                                  const std::vector<Key>& deletions, Time now) {
  std::set<Key> awaited(deletions.begin(), deletions.end());
  const ExpectationCounts counts{static_cast<std::int64_t>(creations),
                                 static_cast<std::int64_t>(awaited.size())};
  {
    const std::lock_guard lock(mutex_);
    awaited_[key] = std::move(awaited);
  }
  counts_.set(key, counts, now);
}

void TrackingExpectations::deletion_observed(const Key& key, const Key& object) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = awaited_.find(key);
    if (found == awaited_.end() || found->second.erase(object) == 0) return;
  }
  counts_.deletion_observed(key);
}

void TrackingExpectations::erase(const Key& key) {
  if (mutant("expectations-of-namesake")) return;
  {
    const std::lock_guard lock(mutex_);
    awaited_.erase(key);
  }
  counts_.erase(key);
}

void TrackingExpectations::write(JsonWriter& out) const {
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

Status TrackingExpectations::read(const StateFields& state, std::string_view name, Time now) {
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

}  // namespace davit

#include "host/cache/informer.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <utility>

#include "host/cache/informer_refill.hpp"
#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

/// Read by the host itself: a deletion that has begun (see WriteTracker).
constexpr std::string_view kDeletionTimestamp = "metadata.deletionTimestamp";

/// Kept of every object.
constexpr std::array<std::string_view, 4> kIdentity = {"metadata.name", "metadata.namespace",
                                                       "metadata.uid", "metadata.resourceVersion"};

/// Whether what `kept` keeps includes everything below `path`.
bool covers(const std::vector<std::string>& kept, const std::string& path) {
  return std::any_of(kept.begin(), kept.end(), [&path](const std::string& each) {
    if (path.compare(0, each.size(), each) != 0) return false;
    return path.size() == each.size() || path[each.size()] == '.' || path[each.size()] == '[';
  });
}

bool covers_index(const std::vector<std::string>& kept, std::string_view path) {
  const std::vector<std::string> parts = index_parts(path);
  return std::all_of(parts.begin(), parts.end(),
                     [&kept](const std::string& part) { return covers(kept, part); });
}

std::vector<std::string> kept_paths(std::vector<std::string> projection,
                                    const std::vector<std::string>& index_paths) {
  projection.insert(projection.end(), index_paths.begin(), index_paths.end());
  projection.emplace_back(kDeletionTimestamp);
  for (const std::string_view each : kIdentity) projection.emplace_back(each);
  return projection;
}

/// A watch event that repeats what the store holds; it says nothing new.
bool repeats(const Change& change) {
  if (change.type != ChangeType::kUpdated || change.old == change.current) return false;
  const Metadata before = metadata(*change.old);
  const Metadata after = metadata(*change.current);
  return !after.resource_version.empty() && before.resource_version == after.resource_version &&
         before.uid == after.uid;
}

}  // namespace

Informer::Informer(InformerSpec spec, const InformerSeams& seams, Logger log,
                   ReflectorOptions options)
    : spec_(std::move(spec)),
      seams_(seams),
      log_(std::move(log)),
      options_(options),
      metrics_(seams.metrics.informer(spec_.resource)),
      store_(seams.space),
      projection_(spec_.projection) {}

Informer::~Informer() { stop(); }

Status Informer::add_index(std::string_view name, std::string_view path) {
  MutexLock lock(delivery_);
  const bool is_limited = phase_ != Phase::kCreated && projection_.has_value();
  if (is_limited && !covers_index(kept_paths(*projection_, index_paths_), path)) {
    return {Code::kUndeclared, "index '" + std::string(name) + "': the running informer of " +
                                   spec_.resource.text() + " does not keep '" + std::string(path) +
                                   "'"};
  }
  if (Status s = store_.add_index(name, path); !s.ok()) return s;
  for (std::string& part : index_parts(path)) {
    if (!covers(index_paths_, part)) index_paths_.push_back(std::move(part));
  }
  return Status();
}

void Informer::add_listener(Listener& listener, PastContent past) {
  MutexLock lock(delivery_);
  listeners_.push_back(&listener);
  if (!has_synced() || past == PastContent::kSkip) return;
  listener.on_initial(store_.list());
  listener.on_progress(store_.version());
}

void Informer::remove_listener(Listener& listener) {
  MutexLock lock(delivery_);
  std::erase(listeners_, &listener);
}

bool Informer::widen(const CacheNeed& need) {
  MutexLock lock(delivery_);
  if (!projection_) return true;
  const std::optional<std::vector<std::string>>& projection = need.spec.projection;
  if (phase_ != Phase::kCreated) {
    const std::vector<std::string> kept = kept_paths(*projection_, index_paths_);
    return projection &&
           std::all_of(projection->begin(), projection->end(),
                       [&](const std::string& path) { return covers(kept, path); }) &&
           std::all_of(
               need.indexes.begin(), need.indexes.end(),
               [&](const CacheNeed::Index& index) { return covers_index(kept, index.path); });
  }
  if (!projection) {
    projection_.reset();
    return true;
  }
  for (const std::string& path : *projection) {
    if (!covers(*projection_, path)) projection_->push_back(path);
  }
  return true;
}

Result<ParseOptions> Informer::parse_options(
    const std::optional<std::vector<std::string>>& projection,
    const std::vector<std::string>& index_paths) const {
  ParseOptions parse;
  if (!projection) return parse;
  const Result<Mask> mask = seams_.space.add_keep_projection(kept_paths(*projection, index_paths));
  if (!mask) return mask.error().with_context("projection of " + spec_.resource.text());
  if (!mutant("projection")) parse.keep_mask = *mask;
  return parse;
}

Status Informer::prepare() {
  MutexLock lock(delivery_);
  if (phase_ != Phase::kCreated) return Status();
  const Result<ParseOptions> parse = parse_options(projection_, index_paths_);
  if (!parse) return parse.error();
  source_ = std::make_unique<Source>(*this, *parse);
  source_->reflector().limit_silence(silence_max_);
  metrics_->queued(0);
  phase_ = Phase::kPrepared;
  return Status();
}

Status Informer::start() {
  if (Status s = prepare(); !s.ok()) return s;
  MutexLock lock(delivery_);
  if (phase_ != Phase::kPrepared) return Status();
  if (Status s = source_->start(); !s.ok()) return s;
  phase_ = Phase::kRunning;
  return Status();
}

bool Informer::started() const {
  MutexLock lock(delivery_);
  return phase_ == Phase::kRunning || phase_ == Phase::kStopped;
}

void Informer::stop() {
  Source* source = nullptr;  // Stays: a stopped informer takes no other.
  {
    MutexLock lock(delivery_);
    phase_ = Phase::kStopped;
    source = source_.get();
  }
  // Without the lock, which the thread may be waiting for.
  if (source != nullptr) source->stop();
}

Reflector& Informer::reflector() {
  MutexLock lock(delivery_);
  return source_->reflector();
}

Freshness Informer::freshness() const {
  MutexLock lock(delivery_);
  return source_ == nullptr ? Freshness() : source_->reflector().freshness();
}

Status Informer::availability() const {
  MutexLock lock(delivery_);
  return availability_;
}

void Informer::set_availability(const Status& status) {
  const bool is_news = availability_.code() != status.code();
  availability_ = status;
  if (!is_news) return;
  for (Listener* listener : listeners_) listener->on_availability();
}

void Informer::limit_silence(Duration longest) {
  MutexLock lock(delivery_);
  silence_max_ = std::min(silence_max_, longest);
  if (source_ != nullptr) source_->reflector().limit_silence(longest);
}

void Informer::verify(Time as_of) {
  MutexLock lock(delivery_);
  want_verification(as_of);
}

void Informer::want_verification(Time as_of) {
  const bool is_under_way = verify_wanted_.has_value();
  verify_wanted_ = std::max(verify_wanted_.value_or(as_of), as_of);
  // The first content shows its own version. A verification under way is not restarted, so that
  // frequent callers see it end; the next one follows if it is too old.
  if (has_synced() && !is_under_way) continue_verification();
}

void Informer::verified(const Source& from) {
  MutexLock lock(delivery_);
  if (!serves(from)) return;
  // Also on the way to a later one: while writes are lost faster than one verification takes, there
  // always is a later one.
  const std::optional<Time> verified = source_->reflector().freshness().verified;
  const bool is_end = verify_wanted_ && verified >= verify_wanted_;
  if (!is_end && verified > verified_ && !mutant("verified-advance")) notify_verified(*verified);
  if (verify_wanted_) continue_verification();
}

void Informer::went_back(std::string_view known, std::string_view version) {
  if (seams_.on_went_back) seams_.on_went_back(spec_.resource, known, version);
}

void Informer::notify_verified(Time as_of) {
  verified_ = as_of;
  for (Listener* listener : listeners_) listener->on_verified(as_of);
}

void Informer::continue_verification() {
  if (source_ == nullptr || phase_ == Phase::kStopped) return;
  // The content includes all that the source before this one has shown: see try_switch().
  const std::optional<Time> verified =
      std::max(verified_, source_->reflector().freshness().verified);
  if (verified && *verified >= *verify_wanted_) {
    verify_wanted_.reset();
    notify_verified(*verified);  // Even if it is no news: a listener may have joined since.
  } else if (store_.size() <= options_.page_size) {
    relist(RelistReason::kVerification);
  } else {
    source_->reflector().request_verification();
  }
}

void Informer::request_relist(RelistReason reason) {
  MutexLock lock(delivery_);
  relist(reason);
}

void Informer::relist(RelistReason reason) {
  if (source_ == nullptr || phase_ == Phase::kStopped || relist_wanted_) return;
  relist_wanted_ = true;
  metrics_->relist_requested(reason);
  source_->reflector().request_relist();
}

Time Informer::tick(Time now) {
  MutexLock lock(delivery_);
  if (source_ == nullptr || phase_ == Phase::kStopped) return Time::max();
  if (now >= resync_due_) resync();
  verify_overdue(now);
  return std::min(source_->reflector().check_stalled(now), resync_due_);
}

void Informer::verify_overdue(Time now) {
  std::optional<Time> overdue;
  for (Listener* listener : listeners_) overdue = std::max(overdue, listener->overdue(now));
  if (overdue && source_->reflector().freshness().verified < overdue) want_verification(*overdue);
}

bool Informer::serves(const Source& from) const { return source_.get() == &from; }

Replacement Informer::begin_replace(const Source& from) {
  MutexLock lock(delivery_);
  // A refill keeps more than this store does, and its own store is empty at first.
  return serves(from) ? Replacement(store_) : Replacement();
}

Comparison Informer::begin_comparison(const Source& from) {
  MutexLock lock(delivery_);
  return serves(from) ? Comparison(store_) : Comparison();
}

void Informer::replace(const Source& from, Replacement next, std::string_view resource_version) {
  MutexLock lock(delivery_);
  const Time began = seams_.clock.now();
  if (fills(from)) {
    (void)refill_->store_.replace(std::move(next), resource_version);
    if (refill_->state_ == Refill::State::kFilling) refill_->state_ = Refill::State::kReady;
    refill_->observer_.refill_moved();
    return try_switch();
  }
  if (!serves(from)) return;
  const std::vector<Change> changes = store_.replace(std::move(next), resource_version);
  changed_version_ = store_.version();
  relist_wanted_ = false;
  notify_content(changes, began);
  set_availability({});
}

void Informer::notify_content(const std::vector<Change>& changes, Time began) {
  if (has_synced()) {
    for (const Change& change : changes) deliver(change);
    end_delivery();
  } else {
    synced_.store(true, std::memory_order_release);
    resync_due_ = next_resync(began);
    for (Listener* listener : listeners_) listener->on_initial(store_.list());
  }
  notify_progress(began);
}

template <typename Put>
void Informer::event(const Source& from, Put put) {
  MutexLock lock(delivery_);
  const bool is_ahead = fills(from);
  if (!is_ahead && !serves(from)) return;
  const Time began = seams_.clock.now();
  const std::optional<Change> change = put(is_ahead ? refill_->store_ : store_);
  if (is_ahead) return try_switch();
  changed_version_ = store_.version();
  if (change) deliver(*change);
  notify_progress(began);
}

void Informer::apply(const Source& from, WatchType type, ObjectRef object) {
  event(from, [&](Store& store) {
    std::optional<Change> change = type == WatchType::kDeleted ? store.remove(std::move(object))
                                                               : store.put(std::move(object));
    if (change && repeats(*change)) change.reset();
    return change;
  });
}

void Informer::skip(const Source& from, WatchType type, SkippedObject object) {
  event(from, [&](Store& store) { return store.skip(type, std::move(object)); });
}

void Informer::bookmark(const Source& from, std::string_view resource_version) {
  MutexLock lock(delivery_);
  if (fills(from)) {
    refill_->store_.advance(resource_version);
    return try_switch();
  }
  if (!serves(from)) return;
  store_.advance(resource_version);
  notify_progress(seams_.clock.now());
}

void Informer::deliver(const Change& change) {
  is_delivering_ = true;
  for (Listener* listener : listeners_) listener->on_change(change);
}

void Informer::end_delivery() {
  if (!std::exchange(is_delivering_, false)) return;
  for (Listener* listener : listeners_) listener->on_pause();
}

// From either source: the listeners of a switched informer wait for it, too.
void Informer::pause() {
  MutexLock lock(delivery_);
  end_delivery();
}

void Informer::notify_progress(Time began) {
  const std::uint64_t version = store_.version();
  for (Listener* listener : listeners_) listener->on_progress(version);
  metrics_->store_version(version);
  metrics_->objects(store_.size());
  metrics_->processed(seams_.clock.now() - began);
  report_skipped();
}

void Informer::report_skipped() {
  metrics_->skipped_now(store_.skipped_count());
  for (const SkippedObject& each : store_.take_unreported_skips()) {
    metrics_->skipped(label_of(each.reason));
    log_.warning("Skipped an object that cannot be read",
                 {{"resource", spec_.resource.text()},
                  {"namespace", each.identity.ns},
                  {"name", each.identity.name},
                  {"uid", each.identity.uid},
                  {"resourceVersion", each.identity.resource_version},
                  {"err", each.why},
                  {"cache", each.is_kept ? "keeps an older state" : "lacks it"}});
    if (seams_.on_skip) seams_.on_skip(spec_.resource, each);
  }
}

Time Informer::next_resync(Time after) {
  if (options_.resync_min == Duration::zero()) return Time::max();
  return after + seams_.random.jitter(options_.resync_min, 1.0);
}

void Informer::resync() {
  resync_due_ = next_resync(seams_.clock.now());
  for (const ObjectRef& object : store_.list()) {
    deliver({.type = ChangeType::kUpdated, .old = object, .current = object});
  }
  end_delivery();
}

}  // namespace davit::host

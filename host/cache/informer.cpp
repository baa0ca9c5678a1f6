#include "host/cache/informer.hpp"

#include <algorithm>
#include <utility>

#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

/// Read by the host itself: a deletion that has begun (see WriteTracker).
constexpr std::string_view kDeletionTimestamp = "metadata.deletionTimestamp";

/// Whether what `kept` keeps includes everything below `path`.
bool covers(const std::vector<std::string>& kept, const std::string& path) {
  return std::any_of(kept.begin(), kept.end(), [&path](const std::string& each) {
    if (path.compare(0, each.size(), each) != 0) return false;
    return path.size() == each.size() || path[each.size()] == '.' || path[each.size()] == '[';
  });
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

Informer::Informer(InformerSpec spec, const InformerSeams& seams, Log log, ReflectorOptions options)
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
  const std::string text(path);
  if (phase_ != Phase::kCreated && projection_ && !covers(kept_paths(), text)) {
    return {Code::kUndeclared, "index '" + std::string(name) + "': the running informer of " +
                                   spec_.resource.text() + " does not keep '" + text + "'"};
  }
  if (Status s = store_.add_index(name, path); !s.ok()) return s;
  if (!covers(index_paths_, text)) index_paths_.push_back(text);
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

bool Informer::widen(const std::optional<std::vector<std::string>>& projection) {
  MutexLock lock(delivery_);
  if (!projection_) return true;
  const std::vector<std::string> kept = kept_paths();
  const bool fits = projection && std::all_of(projection->begin(), projection->end(),
                                              [&](const auto& path) { return covers(kept, path); });
  if (fits) return true;
  if (phase_ != Phase::kCreated) return false;
  if (!projection) {
    projection_.reset();
    return true;
  }
  for (const std::string& path : *projection) {
    if (!covers(*projection_, path)) projection_->push_back(path);
  }
  return true;
}

Status Informer::prepare() {
  MutexLock lock(delivery_);
  if (phase_ != Phase::kCreated) return Status();
  ParseOptions parse;
  if (projection_) {
    const Result<Mask> mask = seams_.space.add_keep_projection(kept_paths());
    if (!mask) return mask.error().with_context("projection of " + spec_.resource.text());
    parse.keep_mask = *mask;
  }
  reflector_ = std::make_unique<Reflector>(
      Selection{spec_.resource, spec_.label_selector, spec_.field_selector}, parse,
      ReflectorSeams{seams_.api, seams_.space, seams_.clock, seams_.random, *metrics_, *this}, log_,
      options_);
  metrics_->queued(0);
  phase_ = Phase::kPrepared;
  return Status();
}

Status Informer::start() {
  if (Status s = prepare(); !s.ok()) return s;
  MutexLock lock(delivery_);
  if (phase_ != Phase::kPrepared) return Status();
  phase_ = Phase::kRunning;
  thread_ = std::jthread([this](const std::stop_token& stop) { reflector_->run(stop); });
  return Status();
}

bool Informer::started() const {
  MutexLock lock(delivery_);
  return phase_ == Phase::kRunning || phase_ == Phase::kStopped;
}

void Informer::stop() {
  std::jthread thread;
  {
    MutexLock lock(delivery_);
    phase_ = Phase::kStopped;
    thread.swap(thread_);
  }
  // Joined without the lock, which the thread may be waiting for.
  thread.request_stop();
  if (thread.joinable()) thread.join();
}

void Informer::request_relist(RelistReason reason) {
  MutexLock lock(delivery_);
  if (reflector_ == nullptr || phase_ == Phase::kStopped || relist_wanted_) return;
  relist_wanted_ = true;
  metrics_->relist_requested(reason);
  reflector_->request_relist();
}

Time Informer::tick(Time now) {
  MutexLock lock(delivery_);
  if (reflector_ == nullptr || phase_ == Phase::kStopped) return Time::max();
  if (now >= resync_due_) resync();
  return std::min(reflector_->check_deaf(now), resync_due_);
}

void Informer::replace(Replacement next, std::string_view resource_version) {
  MutexLock lock(delivery_);
  const Time began = seams_.clock.now();
  const std::vector<Change> changes = store_.replace(std::move(next), resource_version);
  relist_wanted_ = false;
  if (has_synced()) {
    for (const Change& change : changes) deliver(change);
  } else {
    synced_.store(true, std::memory_order_release);
    resync_due_ = began + seams_.random.jitter(kResyncMin, 1.0);
    for (Listener* listener : listeners_) listener->on_initial(store_.list());
  }
  tell_progress(began);
}

void Informer::apply(WatchType type, ObjectRef object) {
  MutexLock lock(delivery_);
  const Time began = seams_.clock.now();
  const Change change = type == WatchType::kDeleted ? store_.remove(std::move(object))
                                                    : store_.put(std::move(object));
  if (!repeats(change)) deliver(change);
  tell_progress(began);
}

void Informer::bookmark(std::string_view resource_version) {
  MutexLock lock(delivery_);
  store_.advance(resource_version);
  tell_progress(seams_.clock.now());
}

void Informer::deliver(const Change& change) {
  for (Listener* listener : listeners_) listener->on_change(change);
}

void Informer::tell_progress(Time began) {
  const std::uint64_t version = store_.version();
  for (Listener* listener : listeners_) listener->on_progress(version);
  metrics_->store_version(version);
  metrics_->objects(store_.size());
  metrics_->processed(seams_.clock.now() - began);
}

void Informer::resync() {
  resync_due_ = seams_.clock.now() + seams_.random.jitter(kResyncMin, 1.0);
  for (const ObjectRef& object : store_.list()) {
    deliver({.type = ChangeType::kUpdated, .old = object, .current = object});
  }
}

std::vector<std::string> Informer::kept_paths() const {
  std::vector<std::string> paths;
  if (projection_) paths = *projection_;
  paths.insert(paths.end(), index_paths_.begin(), index_paths_.end());
  paths.emplace_back(kDeletionTimestamp);
  return paths;
}

}  // namespace davit::host

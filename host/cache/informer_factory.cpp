#include "host/cache/informer_factory.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

bool same_selection(const InformerSpec& a, const InformerSpec& b) {
  return a.resource == b.resource && a.label_selector == b.label_selector &&
         a.field_selector == b.field_selector && a.ns == b.ns && a.form == b.form;
}

namespace {

/// Whether an informer that follows `have` shows all that a user of `need` asks for, as far as its
/// fields reach: whole objects contain their metadata.
bool contains(const InformerSpec& have, const InformerSpec& need) {
  if (same_selection(have, need)) return true;
  static constexpr std::string_view kMetadata = "metadata.";
  if (need.form != ObjectForm::kMetadata || !need.projection) return false;
  InformerSpec whole = need;
  whole.form = ObjectForm::kWhole;
  return same_selection(have, whole) &&
         std::all_of(need.projection->begin(), need.projection->end(),
                     [](const std::string& path) { return path.starts_with(kMetadata); });
}

}  // namespace

InformerFactory::InformerFactory(const InformerSeams& seams, Logger log, ReflectorOptions options)
    : seams_(seams), log_(std::move(log)), options_(options) {}

InformerFactory::~InformerFactory() { stop(); }

Result<Informer*> InformerFactory::informer(const CacheNeed& need) {
  const InformerSpec& spec = need.spec;
  if (spec.projection) {
    // Judged now, so that the error names the user that declared it.
    const Result<Mask> mask = seams_.space.add_keep_projection(*spec.projection);
    if (!mask) return mask.error().with_context("projection of " + spec.resource.text());
  }
  MutexLock lock(mutex_);
  Informer& found = find_or_make(need);
  shared_.erase(&found);
  return &found;
}

Informer& InformerFactory::find_or_make(const CacheNeed& need) {
  for (const std::unique_ptr<Informer>& each : informers_) {
    if (contains(each->spec(), need.spec) && each->widen(need)) return *each;
  }
  informers_.push_back(make(need.spec));
  return *informers_.back();
}

Result<InformerUse> InformerFactory::acquire(const CacheNeed& need) {
  if (need.spec.projection) {
    const Result<Mask> mask = seams_.space.add_keep_projection(*need.spec.projection);
    if (!mask) return mask.error().with_context("projection of " + need.spec.resource.text());
  }
  Informer* informer = nullptr;
  bool is_started = false;
  {
    MutexLock lock(mutex_);
    if (stopped_) return Status(Code::kCancelled, "the informers have been stopped");
    const std::size_t before = informers_.size();
    informer = &find_or_make(need);
    if (informers_.size() > before) shared_.emplace(informer, Shared());
    if (const auto shared = shared_.find(informer); shared != shared_.end()) {
      ++shared->second.users;
    }
    is_started = started_;
  }
  InformerUse use(*this, *informer);
  for (const CacheNeed::Index& each : need.indexes) {
    if (Status s = informer->add_index(each.name, each.path); !s.ok()) return s;
  }
  if (is_started) {
    if (Status s = informer->start(); !s.ok()) return s;
  }
  return use;
}

InformerUse::~InformerUse() {
  if (informer_ != nullptr) factory_->end_use(*informer_);
}

void InformerFactory::end_use(Informer& informer) {
  MutexLock lock(mutex_);
  const auto shared = shared_.find(&informer);
  if (shared == shared_.end() || --shared->second.users > 0) return;
  shared->second.unused_since = seams_.clock.now();
}

void InformerFactory::release_unused(Time now) {
  // Declared before the lock, so that threads are waited for without it.
  std::vector<std::unique_ptr<Informer>> released;
  MutexLock lock(mutex_);
  for (std::unique_ptr<Informer>& each : informers_) {
    const auto shared = shared_.find(each.get());
    if (shared == shared_.end() || shared->second.users > 0) continue;
    if (now < shared->second.unused_since + kUnusedMax) continue;
    shared_.erase(shared);
    released.push_back(std::move(each));
  }
  std::erase(informers_, nullptr);
}

void InformerFactory::each(const std::function<void(const Informer&, Life)>& look) const {
  MutexLock lock(mutex_);
  for (const std::unique_ptr<Informer>& each : informers_) {
    look(*each, shared_.contains(each.get()) ? Life::kUses : Life::kFactory);
  }
}

InformerFactory::Verified InformerFactory::verify_newest(
    const std::function<bool(const ResourceId&)>& which, Time as_of) {
  Informer* newest = nullptr;
  Verified result = Verified::kNone;
  MutexLock lock(mutex_);
  for (const std::unique_ptr<Informer>& each : informers_) {
    if (!which(each->resource())) continue;
    if (result == Verified::kNone) result = Verified::kNoneSynced;
    if (!each->has_synced()) continue;
    const bool is_newer = newest == nullptr || each->store().version() > newest->store().version();
    if (is_newer) newest = each.get();
  }
  if (newest == nullptr) return result;
  newest->verify(as_of);
  return Verified::kOne;
}

bool InformerFactory::serves(const CacheNeed& need) const {
  MutexLock lock(mutex_);
  return std::any_of(
      informers_.begin(), informers_.end(), [this, &need](const auto& each) REQUIRES(mutex_) {
        // One that may be released is not promised to others.
        return !shared_.contains(each.get()) && same_selection(each->spec(), need.spec) &&
               each->started() && each->widen(need);
      });
}

Informer* InformerFactory::running(const InformerSpec& spec) const {
  MutexLock lock(mutex_);
  const auto last = std::find_if(informers_.rbegin(), informers_.rend(),
                                 [this, &spec](const auto& each) REQUIRES(mutex_) {
                                   return !shared_.contains(each.get()) &&
                                          same_selection(each->spec(), spec) && each->started();
                                 });
  return last == informers_.rend() ? nullptr : last->get();
}

std::unique_ptr<Informer> InformerFactory::make(const InformerSpec& spec) const {
  return std::make_unique<Informer>(spec, seams_, log_, options_);
}

void InformerFactory::adopt(std::unique_ptr<Informer> informer) {
  MutexLock lock(mutex_);
  informers_.push_back(std::move(informer));
}

Status InformerFactory::start() {
  MutexLock lock(mutex_);
  if (stopped_) return {Code::kCancelled, "the informers have been stopped"};
  started_ = true;
  for (const std::unique_ptr<Informer>& each : informers_) {
    if (Status s = each->start(); !s.ok()) return s;
  }
  const auto keep = [this](const std::stop_token& stop) { keep_time(stop); };
  if (timer_thread_.joinable() || start_thread(timer_thread_, "resync", keep)) return Status();
  return {Code::kUnavailable, "cannot start a thread for the caches"};
}

void InformerFactory::stop() {
  std::jthread timer_thread;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    timer_thread.swap(timer_thread_);
  }
  timer_thread.request_stop();
  if (timer_thread.joinable()) timer_thread.join();
  for (Informer* each : informers()) each->stop();
}

std::vector<Informer*> InformerFactory::informers() const {
  MutexLock lock(mutex_);
  std::vector<Informer*> all;
  for (const std::unique_ptr<Informer>& each : informers_) all.push_back(each.get());
  return all;
}

void InformerFactory::keep_time(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    wake_.notify_all();
  });
  while (!stop.stop_requested()) {
    const Time now = seams_.clock.now();
    Time next = now + kTickMax;
    release_unused(now);
    for (Informer* each : informers()) next = std::min(next, each->tick(now));
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && seams_.clock.now() < next) {
      seams_.clock.wait_until(wake_, mutex_, next);
    }
  }
}

}  // namespace davit::host

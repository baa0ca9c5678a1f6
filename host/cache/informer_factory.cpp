#include "host/cache/informer_factory.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

bool same_selection(const InformerSpec& a, const InformerSpec& b) {
  return a.resource == b.resource && a.label_selector == b.label_selector &&
         a.field_selector == b.field_selector;
}

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
  for (const std::unique_ptr<Informer>& each : informers_) {
    if (same_selection(each->spec(), spec) && each->widen(need)) return each.get();
  }
  informers_.push_back(make(spec));
  return informers_.back().get();
}

bool InformerFactory::serves(const CacheNeed& need) const {
  MutexLock lock(mutex_);
  return std::any_of(informers_.begin(), informers_.end(), [&need](const auto& each) {
    return same_selection(each->spec(), need.spec) && each->started() && each->widen(need);
  });
}

Informer* InformerFactory::running(const InformerSpec& spec) const {
  MutexLock lock(mutex_);
  const auto last = std::find_if(informers_.rbegin(), informers_.rend(), [&spec](const auto& each) {
    return same_selection(each->spec(), spec) && each->started();
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
  for (const std::unique_ptr<Informer>& each : informers_) {
    if (Status s = each->start(); !s.ok()) return s;
  }
  const auto keep = [this](const std::stop_token& stop) { keep_time(stop); };
  if (timekeeper_.joinable() || start_thread(timekeeper_, "resync", keep)) return Status();
  return {Code::kUnavailable, "cannot start a thread for the caches"};
}

void InformerFactory::stop() {
  std::jthread timekeeper;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    timekeeper.swap(timekeeper_);
  }
  timekeeper.request_stop();
  if (timekeeper.joinable()) timekeeper.join();
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
    for (Informer* each : informers()) next = std::min(next, each->tick(now));
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && seams_.clock.now() < next) {
      seams_.clock.wait_until(wake_, mutex_, next);
    }
  }
}

}  // namespace davit::host

#include "host/cache/informer_refill.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// Resources that change all the time in a cluster at work. A thread that waits for one connection
/// reads them with the fewest system calls, and delays no others.
bool is_busy(const ResourceId& id) {
  return id.resource == "events" || (id.group.empty() && id.resource == "pods") ||
         (id.group == "coordination.k8s.io" && id.resource == "leases");
}

}  // namespace

Informer::Source::Source(Informer& informer, ParseOptions parse, std::string known_version)
    : informer_(informer),
      reflector_(Selection{informer.spec_.resource, informer.spec_.label_selector,
                           informer.spec_.field_selector, informer.spec_.ns, informer.spec_.form},
                 parse,
                 ReflectorSeams{informer.seams_.api, informer.seams_.space, informer.seams_.clock,
                                informer.seams_.random, *informer.metrics_, *this,
                                informer.seams_.contact},
                 informer.log_, informer.options_, std::move(known_version)) {}

Informer::Source::~Source() = default;

Status Informer::Source::start() {
  if (informer_.seams_.threads != nullptr && !is_busy(informer_.spec_.resource)) {
    Result<std::unique_ptr<FollowThreads::Following>> following =
        informer_.seams_.threads->follow(reflector_);
    if (!following) return following.error();
    following_ = *std::move(following);
    return {};
  }
  const auto run = [this](const std::stop_token& stop) { reflector_.run(stop); };
  if (start_thread(thread_, informer_.spec_.resource.resource, run)) return {};
  return {Code::kUnavailable, "cannot start a thread to watch " + informer_.spec_.resource.text()};
}

void Informer::Source::request_stop() {
  if (following_ != nullptr) following_->request_stop();
  thread_.request_stop();
}

void Informer::Source::stop() {
  following_.reset();
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void CacheNeed::add(const CacheNeed& other) {
  if (!other.spec.projection) spec.projection.reset();
  if (spec.projection) {
    spec.projection->insert(spec.projection->end(), other.spec.projection->begin(),
                            other.spec.projection->end());
  }
  for (const Index& each : other.indexes) {
    const bool known = std::any_of(indexes.begin(), indexes.end(), [&](const Index& index) {
      return index.name == each.name && index.path == each.path;
    });
    if (!known) indexes.push_back(each);
  }
}

Informer::Refill::Refill(Informer& informer, RefillObserver& observer)
    : informer_(informer), observer_(observer), store_(informer.seams_.space) {}

Informer::Refill::~Refill() {
  if (!is_begun_) return;
  {
    MutexLock lock(informer_.delivery_);
    informer_.refill_ = nullptr;
  }
  if (source_ != nullptr) source_->stop();
}

Informer::Refill::State Informer::Refill::state() const {
  MutexLock lock(informer_.delivery_);
  return state_;
}

Status Informer::Refill::failure() const {
  MutexLock lock(informer_.delivery_);
  return failure_;
}

void Informer::Refill::allow() {
  MutexLock lock(informer_.delivery_);
  is_allowed_ = true;
  informer_.try_switch();
}

Result<std::unique_ptr<Informer::Refill>> Informer::refill(const CacheNeed& need,
                                                           RefillObserver& observer) {
  auto refill = std::make_unique<Refill>(*this, observer);
  MutexLock lock(delivery_);
  DAVIT_ASSERT(refill_ == nullptr && phase_ != Phase::kPrepared);
  CacheNeed all{spec_};
  all.spec.projection = projection_;
  all.add(need);
  refill->projection_ = std::move(all.spec.projection);
  refill->index_paths_ = index_paths_;
  refill->store_.add_indexes_of(store_);
  for (const CacheNeed::Index& each : need.indexes) {
    if (Status s = refill->store_.add_index(each.name, each.path); !s.ok()) return s;
    for (std::string& path : index_parts(each.path)) {
      refill->index_paths_.push_back(std::move(path));
    }
  }
  const Result<ParseOptions> parse = parse_options(refill->projection_, refill->index_paths_);
  if (!parse) return parse.error();
  refill->source_ = std::make_unique<Source>(*this, *parse, store_.resource_version());
  refill->source_->reflector().limit_silence(silence_max_);
  if (phase_ == Phase::kCreated) metrics_->queued(0);
  refill->is_begun_ = true;
  refill_ = refill.get();
  if (Status s = refill->source_->start(); !s.ok()) return s;
  return refill;
}

bool Informer::fills(const Source& from) const {
  return refill_ != nullptr && refill_->source_.get() == &from &&
         refill_->state_ != Refill::State::kServing;
}

void Informer::failed(const Source& from, const Status& status) {
  MutexLock lock(delivery_);
  const bool is_refused = status.code() == Code::kNotFound || status.code() == Code::kForbidden;
  // Before the first content a later failure of another kind says that nothing is known.
  if (serves(from) && (is_refused || !has_synced())) {
    set_availability(is_refused ? status : Status());
  }
  if (!fills(from)) return;
  refill_->failure_ = status;
  refill_->observer_.refill_moved();
}

void Informer::try_switch() {
  if (phase_ == Phase::kStopped || refill_->state_ != Refill::State::kReady) return;
  if (!refill_->is_allowed_) return;
  // A bookmark that only one of the two has heard of changes nothing, so what counts is the last
  // change. Versions that cannot be compared count as seen.
  const std::uint64_t version = refill_->store_.version();
  if (version != 0 && version < changed_version_) return;
  const Time began = seams_.clock.now();
  const std::vector<Change> changes = store_.take_over(refill_->store_);
  changed_version_ = std::max(changed_version_, version);
  projection_ = refill_->projection_;
  index_paths_ = refill_->index_paths_;
  std::swap(source_, refill_->source_);
  if (refill_->source_ != nullptr) refill_->source_->request_stop();
  if (relist_wanted_) source_->reflector().request_relist();
  phase_ = Phase::kRunning;
  refill_->state_ = Refill::State::kServing;
  notify_content(changes, began);
  if (verify_wanted_) continue_verification();
  refill_->observer_.refill_moved();
}

}  // namespace davit::host

#include "host/cache/delta_queue.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "host/cache/object_table.hpp"
#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

bool same_name(const ObjectRef& a, const ObjectRef& b) {
  const Metadata x = metadata(*a);
  const Metadata y = metadata(*b);
  return x.name == y.name && x.ns == y.ns;
}

bool same_uid(const ObjectRef& a, const ObjectRef& b) {
  return metadata(*a).uid == metadata(*b).uid;
}

/// Two updates of one life of an object.
bool may_always_merge(const Change& last, const Change& next) {
  return last.type == ChangeType::kUpdated && next.type == ChangeType::kUpdated &&
         same_uid(last.old, last.current) && same_uid(last.current, next.current);
}

/// Whether `change` ends one life under a name and begins another.
bool is_succession(const Change& change) {
  return change.type == ChangeType::kUpdated && !same_uid(change.old, change.current);
}

/// Whether `next` continues the life of the object that `last` began or changed. The end of a life
/// that began with the end of another one does not: one change cannot report both ends.
bool continues(const Change& last, const Change& next) {
  if (last.type == ChangeType::kDeleted || next.type == ChangeType::kAdded) return false;
  const bool hides_an_end = next.type == ChangeType::kDeleted && is_succession(last);
  if (hides_an_end && !mutant("delta-both-ends")) return false;
  return same_uid(last.current, next.current) &&
         (next.type == ChangeType::kDeleted || same_uid(next.old, next.current));
}

}  // namespace

/// One informer that the delta queue has joined, with one handler.
class DeltaQueue::Source final : public Listener {
 public:
  enum class Role { kAwaited, kGuest };
  Source(DeltaQueue& queue_in, Informer& informer_in, Role role_in, Guest guest_in,
         std::uint64_t place_in)
      : queue(queue_in),
        informer(informer_in),
        role(role_in),
        guest(std::move(guest_in)),
        handler(guest.handler),
        place(place_in) {}

  void on_initial(std::vector<ObjectRef> objects) override {
    queue.push_initial(*this, std::move(objects));
  }
  void on_change(const Change& change) override {
    if (handler) queue.push(*this, change);
  }
  void on_pause() override {
    if (handler) queue.announce();
  }
  void on_verified(Time as_of) override {
    if (guest.on_verified && mutant("verified-in-order")) return guest.on_verified(as_of);
    if (guest.on_verified) return queue.push_verified(*this, as_of);
    queue.note_verified(*this, as_of);
  }
  void on_availability() override {
    if (guest.on_availability) guest.on_availability();
  }
  void report_filled() const {
    if (guest.on_filled) guest.on_filled();
  }

  DeltaQueue& queue;
  Informer& informer;
  const Role role;
  const Guest guest;
  const Handler& handler;
  const std::uint64_t place;  // A guest's.
  std::uint64_t salt = 0;     // Makes equal names of different sources differ. Set once.
  std::vector<ObjectRef>
      content;  // First content that waits, the next one last. Guarded by the queue's mutex.
  bool is_held = false;              // Guarded by the queue's mutex.
  bool awaits_verification = false;  // Guarded by the queue's mutex.
};

void DeltaQueue::Backlog::append(Pending change) {
  last[change.object] = first + changes.size();
  changes.push_back(std::move(change));
}

void DeltaQueue::Backlog::append_verified(Source& source, Time as_of) {
  changes.push_back({.change = {}, .source = &source, .verified = as_of});
}

DeltaQueue::DeltaQueue(std::size_t changes_max) : changes_max_(changes_max) {}

DeltaQueue::~DeltaQueue() {
  std::vector<std::unique_ptr<Source>> sources;
  {
    MutexLock lock(mutex_);
    sources.swap(sources_);
  }
  for (const auto& source : sources) source->informer.remove_listener(*source);
}

void DeltaQueue::join(Informer& informer, Handler handler) {
  Source& source = add_source(std::make_unique<Source>(*this, informer, Source::Role::kAwaited,
                                                       Guest{.handler = std::move(handler)}, 0));
  informer.add_listener(source);
}

void DeltaQueue::join_guest(Informer& informer, std::uint64_t place, Guest guest) {
  Source& source = add_source(
      std::make_unique<Source>(*this, informer, Source::Role::kGuest, std::move(guest), place));
  informer.add_listener(source);
}

DeltaQueue::Source& DeltaQueue::add_source(std::unique_ptr<Source> source) {
  MutexLock lock(mutex_);
  source->salt = ++joined_ever_ * 0x9e3779b97f4a7c15ULL;
  if (source->role == Source::Role::kAwaited) {
    ++undelivered_;
    complete_reported_ = false;
  }
  sources_.push_back(std::move(source));
  return *sources_.back();
}

void DeltaQueue::leave(std::uint64_t place) {
  Source* source = nullptr;
  {
    MutexLock lock(mutex_);
    for (const auto& each : sources_) {
      if (each->role == Source::Role::kGuest && each->place == place) source = each.get();
    }
  }
  if (source == nullptr) return;
  source->informer.remove_listener(*source);
  {
    MutexLock lock(mutex_);
    std::erase(initial_, source);
    drop(backlog_, *source);
    drop(later_, *source);
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const auto& each) { return each.get() == source; });
    left_.push_back(std::move(*found));
    sources_.erase(found);
  }
  filled_.notify_all();
}

void DeltaQueue::drop(Backlog& backlog, const Source& source) {
  for (Pending& each : backlog.changes) {
    if (each.source != &source) continue;
    each.source = nullptr;
    each.change = Change{};
    each.is_short_lived = false;
    each.verified.reset();
  }
}

bool DeltaQueue::step_left() {
  std::unique_ptr<Source> left;
  {
    MutexLock lock(mutex_);
    if (left_.empty()) return false;
    left = std::move(left_.back());
    left_.pop_back();
    delivering_ = true;
  }
  if (left->guest.on_left) left->guest.on_left();
  left.reset();
  MutexLock lock(mutex_);
  delivering_ = false;
  if (empty()) idle_.notify_all();
  return true;
}

bool DeltaQueue::initial_delivered() const {
  MutexLock lock(mutex_);
  return undelivered_ == 0;
}

bool DeltaQueue::step() {
  if (step_left()) return true;
  Delivery delivery;
  const bool any = pop(delivery);
  if (any) hand_out(delivery);
  const bool is_guest = any && delivery.source->role == Source::Role::kGuest;
  if (is_guest && delivery.ends_initial) delivery.source->report_filled();
  MutexLock lock(mutex_);
  delivering_ = false;
  if (delivery.ends_initial && !is_guest) --undelivered_;
  if (empty()) idle_.notify_all();
  return any;
}

void DeltaQueue::hand_out(const Delivery& delivery) {
  if (delivery.verified) return delivery.source->guest.on_verified(*delivery.verified);
  delivery.source->handler(delivery.change);
}

bool DeltaQueue::wait(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    filled_.notify_all();
  });
  std::function<void()> current;
  bool any = false;
  {
    MutexLock lock(mutex_);
    // The last first content may be empty or without a listener: then no change would wake the
    // dispatcher.
    const auto completed = [this]() REQUIRES(mutex_) {
      return undelivered_ == 0 && !complete_reported_;
    };
    while (empty() && !completed() && !is_current() && !stop.stop_requested()) filled_.wait(mutex_);
    complete_reported_ = undelivered_ == 0;
    if (is_current()) {
      current = std::move(goal_->done);
      goal_.reset();
    }
    any = !empty();
  }
  if (current) current();
  return any;
}

void DeltaQueue::when_current(Time as_of, std::function<void()> done) {
  {
    MutexLock lock(mutex_);
    std::size_t awaited = 0;
    for (const auto& source : sources_) {
      source->awaits_verification = source->role == Source::Role::kAwaited;
      if (source->awaits_verification) ++awaited;
    }
    if (awaited > 0) {
      goal_ = Goal{as_of, std::move(done), awaited};
      return;
    }
  }
  done();
}

void DeltaQueue::note_verified(Source& source, Time as_of) {
  {
    MutexLock lock(mutex_);
    if (!goal_ || as_of < goal_->as_of || !source.awaits_verification) return;
    source.awaits_verification = false;
    if (--goal_->unverified > 0) return;
    goal_->behind = backlog_.first + backlog_.changes.size() + later_.changes.size();
  }
  filled_.notify_all();
}

bool DeltaQueue::is_current() const {
  return goal_ && goal_->unverified == 0 && undelivered_ == 0 && backlog_.first >= goal_->behind;
}

std::size_t DeltaQueue::size() const {
  MutexLock lock(mutex_);
  std::size_t sum = backlog_.changes.size() + later_.changes.size();
  for (const Source* source : initial_) sum += source->content.size();
  return sum;
}

void DeltaQueue::push(Source& source, const Change& change) {
  const Metadata meta = metadata(*change.current);
  const std::uint64_t object = hash_name(meta.ns, meta.name) ^ source.salt;
  {
    MutexLock lock(mutex_);
    Backlog& backlog = source.is_held ? later_ : backlog_;
    if (merge(backlog, object, source, change)) return;
    backlog.append({.change = change, .object = object, .source = &source});
  }
}

void DeltaQueue::push_verified(Source& source, Time as_of) {
  {
    MutexLock lock(mutex_);
    (source.is_held ? later_ : backlog_).append_verified(source, as_of);
  }
  filled_.notify_one();
}

void DeltaQueue::announce() {
  {
    MutexLock lock(mutex_);
    if (empty()) return;  // The dispatcher was awake, and has taken them already.
  }
  filled_.notify_one();
}

void DeltaQueue::push_initial(Source& source, std::vector<ObjectRef> content) {
  bool is_delivered = false;
  {
    MutexLock lock(mutex_);
    is_delivered = content.empty() || !source.handler;
    if (!is_delivered) {
      source.content = std::move(content);
      initial_.push_back(&source);
    } else if (source.role == Source::Role::kAwaited) {
      --undelivered_;
    }
  }
  filled_.notify_all();
  if (is_delivered) source.report_filled();
}

/// Makes one change of `last` and the life that `next` is about.
void DeltaQueue::merge_lives(Pending& last, const Change& next) {
  Change& change = last.change;
  if (next.type == ChangeType::kDeleted && is_succession(change)) {
    // The handler knows the former life only.
    change.type = ChangeType::kDeleted;
    change.tombstone = true;
    change.current = std::move(change.old);
    change.old = ObjectRef();
    return;
  }
  if (std::exchange(last.is_short_lived, false)) {
    change.type = ChangeType::kAdded;
    change.old = ObjectRef();
  } else if (change.type == ChangeType::kDeleted) {
    change.type = ChangeType::kUpdated;
    if (!change.old) change.old = std::move(change.current);
  }
  if (next.type == ChangeType::kDeleted) change.type = ChangeType::kDeleted;
  change.tombstone = next.tombstone;
  change.current = next.current;
}

bool DeltaQueue::merge(Backlog& backlog, std::uint64_t object, const Source& source,
                       const Change& change) const {
  const auto known = backlog.last.find(object);
  if (known == backlog.last.end()) return false;
  Pending& last = backlog.changes[known->second - backlog.first];
  // Two names with one hash: they are not merged, which is always right.
  if (last.source != &source || !same_name(last.change.current, change.current)) return false;
  if (may_always_merge(last.change, change)) {
    last.change.current = change.current;
    return true;
  }
  if (backlog.changes.size() < changes_max_ && !mutant("delta-merge")) return false;
  if (last.is_short_lived || !continues(last.change, change)) {
    // Beyond this a life that is over may be forgotten for the next one under its name.
    if (backlog.changes.size() < kLivesFactor * changes_max_) return false;
    merge_lives(last, change);
    return true;
  }
  if (change.type == ChangeType::kDeleted) {
    if (last.change.type == ChangeType::kAdded) {
      last.is_short_lived = true;
      last.change.old = std::move(last.change.current);
    } else {
      last.change.type = ChangeType::kDeleted;
    }
    last.change.tombstone = change.tombstone;
  }
  last.change.current = change.current;
  return true;
}

bool DeltaQueue::pop(Delivery& out) {
  MutexLock lock(mutex_);
  if (!initial_.empty()) {
    Source* source = initial_.front();
    out.source = source;
    out.change = Change{.type = ChangeType::kAdded,
                        .initial = true,
                        .old = {},
                        .current = std::move(source->content.back())};
    source->content.pop_back();
    out.ends_initial = source->content.empty();
    if (out.ends_initial) {
      initial_.pop_front();
      source->content = {};
    }
    delivering_ = true;
    return true;
  }
  while (!backlog_.changes.empty() && backlog_.changes.front().source == nullptr) {
    const Pending& gone = backlog_.changes.front();
    const auto known = backlog_.last.find(gone.object);
    if (known != backlog_.last.end() && known->second == backlog_.first) backlog_.last.erase(known);
    backlog_.changes.pop_front();
    ++backlog_.first;
  }
  if (backlog_.changes.empty()) return false;
  delivering_ = true;
  if (Pending& front = backlog_.changes.front(); front.is_short_lived) {
    out.source = front.source;
    out.change = {.type = ChangeType::kAdded, .old = {}, .current = std::move(front.change.old)};
    front.change.old = ObjectRef();
    front.change.type = ChangeType::kDeleted;
    front.is_short_lived = false;
    return true;
  }
  Pending next = std::move(backlog_.changes.front());
  backlog_.changes.pop_front();
  const auto last = backlog_.last.find(next.object);
  if (last != backlog_.last.end() && last->second == backlog_.first) backlog_.last.erase(last);
  ++backlog_.first;
  out.source = next.source;
  out.verified = next.verified;
  out.change = std::move(next.change);
  // Only for merging: a handler gets the last state, nothing else.
  if (out.change.type == ChangeType::kDeleted) out.change.old = ObjectRef();
  return true;
}

bool DeltaQueue::empty() const {
  return initial_.empty() && backlog_.changes.empty() && left_.empty();
}

std::vector<Informer*> DeltaQueue::joined() const {
  std::vector<Informer*> all;
  MutexLock lock(mutex_);
  for (const auto& source : sources_) all.push_back(&source->informer);
  return all;
}

void DeltaQueue::hold(const Informer& informer) {
  MutexLock lock(mutex_);
  for (const auto& source : sources_) {
    if (&source->informer == &informer) source->is_held = true;
  }
}

void DeltaQueue::hold_together(DeltaQueue& a, DeltaQueue& b) {
  for (const DeltaQueue* each : {&a, &b}) {
    for (Informer* informer : each->joined()) {
      // Twice for one that both have joined: what is held stays held.
      informer->between_changes([&] {
        a.hold(*informer);
        b.hold(*informer);
      });
    }
  }
}

bool DeltaQueue::wait_held(Clock& clock, Time deadline) {
  MutexLock lock(mutex_);
  while (!empty() || delivering_) {
    if (clock.now() >= deadline) return false;
    clock.wait_until(idle_, mutex_, deadline);
  }
  return true;
}

void DeltaQueue::release() {
  {
    MutexLock lock(mutex_);
    for (const auto& source : sources_) source->is_held = false;
    for (Pending& each : later_.changes) {
      if (each.verified) {
        backlog_.append_verified(*each.source, *each.verified);
      } else {
        backlog_.append(std::move(each));
      }
    }
    later_ = {};
  }
  filled_.notify_all();
}

}  // namespace davit::host

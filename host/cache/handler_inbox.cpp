#include "host/cache/handler_inbox.hpp"

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

/// `last` and then `next`, told as one change; false when they cancel out. `last` takes the result.
bool join_changes(Change& last, const Change& next) {
  if (next.type == ChangeType::kDeleted) {
    if (last.type == ChangeType::kAdded) return false;
    ObjectRef seen = std::move(last.old);
    last = next;
    last.old = std::move(seen);
    return true;
  }
  if (last.type == ChangeType::kDeleted) {
    last.type = ChangeType::kUpdated;
    last.tombstone = false;
    if (!last.old) last.old = std::move(last.current);
  }
  last.current = next.current;
  return true;
}

}  // namespace

/// One informer that the inbox has joined, with one handler.
class HandlerInbox::Source final : public Listener {
 public:
  Source(HandlerInbox& inbox_in, Informer& informer_in, Handler handler_in, std::uint64_t number)
      : inbox(inbox_in),
        informer(informer_in),
        handler(std::move(handler_in)),
        salt(number * 0x9e3779b97f4a7c15ULL) {}

  void on_initial(std::vector<ObjectRef> objects) override {
    inbox.push_initial(*this, std::move(objects));
  }
  void on_change(const Change& change) override {
    if (handler) inbox.push(*this, change);
  }

  HandlerInbox& inbox;
  Informer& informer;
  const Handler handler;
  const std::uint64_t salt;  // Tells equal names of different sources apart.
  std::vector<ObjectRef>
      content;  // First content that waits, the next one last. Guarded by the inbox's mutex.
  bool is_held = false;  // Guarded by the inbox's mutex.
};

void HandlerInbox::Line::append(Pending change) {
  last[change.object] = first + changes.size();
  changes.push_back(std::move(change));
}

HandlerInbox::HandlerInbox(std::size_t changes_max) : changes_max_(changes_max) {}

HandlerInbox::~HandlerInbox() {
  std::vector<std::unique_ptr<Source>> sources;
  {
    MutexLock lock(mutex_);
    sources.swap(sources_);
  }
  for (const auto& source : sources) source->informer.remove_listener(*source);
}

void HandlerInbox::join(Informer& informer, Handler handler) {
  Source* source = nullptr;
  {
    MutexLock lock(mutex_);
    sources_.push_back(
        std::make_unique<Source>(*this, informer, std::move(handler), sources_.size() + 1));
    source = sources_.back().get();
    ++undelivered_;
    complete_told_ = false;
  }
  informer.add_listener(*source);
}

bool HandlerInbox::initial_delivered() const {
  MutexLock lock(mutex_);
  return undelivered_ == 0;
}

bool HandlerInbox::step() {
  Delivery delivery;
  const bool any = pop(delivery);
  if (any) delivery.source->handler(delivery.change);
  MutexLock lock(mutex_);
  delivering_ = false;
  if (delivery.ends_initial) --undelivered_;
  if (empty()) settled_.notify_all();
  return any;
}

bool HandlerInbox::wait(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    filled_.notify_all();
  });
  MutexLock lock(mutex_);
  // The last first content may be empty, or nobody's: then no change would tell the dispatcher.
  const auto completed = [this]() REQUIRES(mutex_) { return undelivered_ == 0 && !complete_told_; };
  while (empty() && !completed() && !stop.stop_requested()) filled_.wait(mutex_);
  complete_told_ = undelivered_ == 0;
  return !empty();
}

std::size_t HandlerInbox::size() const {
  MutexLock lock(mutex_);
  std::size_t sum = line_.changes.size() + later_.changes.size();
  for (const Source* source : initial_) sum += source->content.size();
  return sum;
}

void HandlerInbox::push(Source& source, const Change& change) {
  const Metadata meta = metadata(*change.current);
  const std::uint64_t object = hash_name(meta.ns, meta.name) ^ source.salt;
  {
    MutexLock lock(mutex_);
    Line& line = source.is_held ? later_ : line_;
    if (merge(line, object, source, change)) return;
    line.append({.change = change, .object = object, .source = &source});
  }
  filled_.notify_one();
}

void HandlerInbox::push_initial(Source& source, std::vector<ObjectRef> content) {
  {
    MutexLock lock(mutex_);
    if (content.empty() || !source.handler) {
      --undelivered_;
    } else {
      source.content = std::move(content);
      initial_.push_back(&source);
    }
  }
  filled_.notify_all();
}

bool HandlerInbox::merge(Line& line, std::uint64_t object, const Source& source,
                         const Change& change) const {
  const auto known = line.last.find(object);
  if (known == line.last.end()) return false;
  Pending& last = line.changes[known->second - line.first];
  // Two names with one hash: they are not merged, which is always right.
  if (last.source != &source || !same_name(last.change.current, change.current)) return false;
  if (last.nothing) {
    last.change = change;
    last.nothing = change.type == ChangeType::kDeleted;
    return true;
  }
  if (may_always_merge(last.change, change)) {
    last.change.current = change.current;
    return true;
  }
  if (line.changes.size() < changes_max_) return false;
  last.nothing = !join_changes(last.change, change);
  return true;
}

bool HandlerInbox::pop(Delivery& out) {
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
  while (!line_.changes.empty()) {
    Pending next = std::move(line_.changes.front());
    line_.changes.pop_front();
    const auto last = line_.last.find(next.object);
    if (last != line_.last.end() && last->second == line_.first) line_.last.erase(last);
    ++line_.first;
    if (next.nothing) continue;
    out.source = next.source;
    out.change = std::move(next.change);
    // Only for merging: a handler is told the last state, nothing else.
    if (out.change.type == ChangeType::kDeleted) out.change.old = ObjectRef();
    delivering_ = true;
    return true;
  }
  return false;
}

bool HandlerInbox::empty() const { return initial_.empty() && line_.changes.empty(); }

std::vector<Informer*> HandlerInbox::joined() const {
  std::vector<Informer*> all;
  MutexLock lock(mutex_);
  for (const auto& source : sources_) all.push_back(&source->informer);
  return all;
}

void HandlerInbox::hold(const Informer& informer) {
  MutexLock lock(mutex_);
  for (const auto& source : sources_) {
    if (&source->informer == &informer) source->is_held = true;
  }
}

void HandlerInbox::hold_together(HandlerInbox& a, HandlerInbox& b) {
  for (const HandlerInbox* each : {&a, &b}) {
    for (Informer* informer : each->joined()) {
      // Twice for one that both have joined: what is held stays held.
      informer->between_changes([&] {
        a.hold(*informer);
        b.hold(*informer);
      });
    }
  }
}

bool HandlerInbox::wait_held(Clock& clock, Time deadline) {
  MutexLock lock(mutex_);
  while (!empty() || delivering_) {
    if (clock.now() >= deadline) return false;
    clock.wait_until(settled_, mutex_, deadline);
  }
  return true;
}

void HandlerInbox::release() {
  {
    MutexLock lock(mutex_);
    for (const auto& source : sources_) source->is_held = false;
    for (Pending& each : later_.changes) line_.append(std::move(each));
    later_ = {};
  }
  filled_.notify_all();
}

}  // namespace davit::host

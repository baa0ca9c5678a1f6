#include "sandbox/rest/watch_stream.hpp"

#include <algorithm>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

using namespace std::chrono_literals;

constexpr Duration kBookmarkInterval = 1min;
/// A last bookmark shortly before the end lets the client continue from there.
constexpr Duration kLastBookmark = 2s;
/// Changes taken from the store at a time; bounds what is copied under its lock.
constexpr std::size_t kBatch = 256;

}  // namespace

WatchStream::WatchStream(const RestParts& parts, ResourcePtr resource, OutputForm form,
                         WatchPlan plan)
    : parts_(parts),
      resource_(std::move(resource)),
      plan_(std::move(plan)),
      writer_(resource_, form, parts.clock),
      phase_(plan_.start == WatchPlan::Start::kState ? Phase::kWaiting : Phase::kLive),
      wait_(parts, plan_.position),
      position_(plan_.position),
      reported_(plan_.position),
      bookmarked_(parts.clock.now()) {
  prepare_queue();
  if (phase_ == Phase::kWaiting) static_cast<void>(take_state());
}

HttpBodyStream::State WatchStream::read(std::string& out, std::size_t bytes_max) {
  const std::size_t size_max = out.size() + bytes_max;
  const Time now = parts_.clock.now();
  prepare_queue();
  if (queue_ != nullptr && !flush(out, size_max, now)) return state();
  if (phase_ == Phase::kWaiting) wait(out, now);
  if (phase_ == Phase::kInitial) send_initial(out, size_max);
  bool complete = false;
  if (phase_ == Phase::kLive && has_room(out, size_max)) {
    complete = send_live(out, size_max, now);
    if (now >= plan_.deadline) phase_ = Phase::kEnded;
  }
  if (phase_ == Phase::kEnded) return state();
  const bool flushed = queue_ == nullptr || flush(out, size_max, now);
  if (complete && flushed) phase_ = Phase::kEnded;
  return state();
}

/// Sends what has changed. Whether it was the last: the definition is gone, and with it each object
/// of it before.
bool WatchStream::send_live(std::string& out, std::size_t size_max, Time now) {
  const bool served = is_served();
  send_changes(out, size_max);
  const bool ends = !is_served();
  if (served && ends && phase_ == Phase::kLive) send_changes(out, size_max);
  if (phase_ == Phase::kLive && now >= bookmark_due()) send_bookmark(out, now);
  return ends && has_room(out, size_max);
}

HttpBodyStream::State WatchStream::state() const {
  return phase_ == Phase::kEnded ? State::kEnded : State::kOpen;
}

/// A definition gets a webhook at any time.
void WatchStream::prepare_queue() {
  if (queue_ != nullptr || !resource_->custom || parts_.converter == nullptr) return;
  const ResourcePtr now =
      parts_.resources.now()->find(resource_->group, resource_->version, resource_->name);
  // Changes from before the end of the definition are still to be converted.
  const Resource& current = now == nullptr ? *resource_ : *now;
  if (conversion_hook(current) == nullptr) return;
  const bool by_form = plan_.selection.reads_form(current);
  queue_ = std::make_unique<WatchQueue>(parts_, resource_, by_form ? &plan_.selection : nullptr);
}

/// Whether the version may be shown; the queue looks at the form of some.
bool WatchStream::selects(const Version& version) const {
  const Selection& selection = plan_.selection;
  if (queue_ != nullptr && queue_->selects()) {
    return selection.ns.empty() || version.ns == selection.ns;
  }
  if (!selection.reads_form(*resource_)) return selection.matches(version);
  return selection.matches(load(version, *resource_), *resource_);
}

/// Writes what the webhook has converted. False: there is more, or the watch has ended.
bool WatchStream::flush(std::string& out, std::size_t size_max, Time now) {
  const WatchQueue::State state = queue_->write(out, size_max, writer_);
  if (state == WatchQueue::State::kEmpty) return true;
  if (state == WatchQueue::State::kFailed) {
    writer_.append_error(out, queue_->failure());
    phase_ = Phase::kEnded;
  } else if (now >= plan_.deadline) {
    phase_ = Phase::kEnded;
  }
  return false;
}

bool WatchStream::has_room(const std::string& out, std::size_t size_max) const {
  return out.size() < size_max && (queue_ == nullptr || !queue_->is_full());
}

/// `revision`: the resourceVersion to show; 0: that of `version`.
void WatchStream::send(std::string& out, std::string_view type, const VersionPtr& version,
                       Revision revision) {
  if (queue_ != nullptr) return queue_->push({type, version, revision});
  if (revision == 0) return writer_.append(out, type, *version);
  writer_.append_at(out, type, *version, revision);
}

void WatchStream::show_bookmark(std::string& out, WatchEventWriter::Bookmark what) {
  if (queue_ != nullptr) return queue_->push({"", nullptr, position_, what});
  writer_.append_bookmark(out, what, position_);
}

void WatchStream::on_ready(std::function<void()> ready) {
  subscription_ = parts_.store.subscribe(resource_->collection, std::move(ready));
}

Time WatchStream::next_read() const {
  if (phase_ == Phase::kEnded) return Time::max();
  if (phase_ == Phase::kWaiting) return std::min(plan_.deadline, wait_.next_poll());
  const Time next = std::min(plan_.deadline, bookmark_due());
  return queue_ == nullptr ? next : std::min(next, queue_->next_read());
}

void WatchStream::wait(std::string& out, Time now) {
  if (now >= plan_.deadline) {
    phase_ = Phase::kEnded;
    return;
  }
  if (take_state() || wait_.is_waiting(now)) return;
  writer_.append_error(out, future_revision(plan_.position, parts_.store.revision()));
  phase_ = Phase::kEnded;
}

/// False: the store has not come so far.
bool WatchStream::take_state() {
  Snapshot snapshot = parts_.store.list(resource_->collection, plan_.selection.ns);
  if (snapshot.revision < plan_.position) return false;
  std::erase_if(snapshot.objects, [&](const VersionPtr& each) { return !selects(*each); });
  initial_ = std::move(snapshot.objects);
  position_ = reported_ = snapshot.revision;
  phase_ = Phase::kInitial;
  return true;
}

void WatchStream::send_initial(std::string& out, std::size_t size_max) {
  for (; sent_ < initial_.size() && has_room(out, size_max); ++sent_) {
    send(out, kAddedEvent, initial_[sent_]);
  }
  if (sent_ < initial_.size()) return;
  initial_ = {};
  phase_ = Phase::kLive;
  if (plan_.bookmarks == WatchPlan::Bookmarks::kAlsoAfterInitial) {
    show_bookmark(out, WatchEventWriter::Bookmark::kInitialEventsEnd);
  }
}

void WatchStream::send_changes(std::string& out, std::size_t size_max) {
  while (has_room(out, size_max)) {
    // Taken first: every change up to it is in the history by now.
    const Revision reached = parts_.store.revision();
    Result<std::vector<Change>> changes =
        parts_.store.changes(resource_->collection, position_, kBatch);
    if (!changes) {
      writer_.append_error(out, expired(changes.error().message()));
      phase_ = Phase::kEnded;
      return;
    }
    for (const Change& each : *changes) {
      if (!has_room(out, size_max)) return;
      send_change(out, each);
      position_ = each.object->revision;
    }
    if (changes->size() < kBatch) {
      position_ = std::max(position_, reached);
      return;
    }
  }
}

void WatchStream::send_change(std::string& out, const Change& change) {
  const bool deleted = change.type == ChangeType::kDeleted;
  const std::string_view type = deleted ? kDeletedEvent : kModifiedEvent;
  const Selected selected{change.previous != nullptr && selects(*change.previous),
                          !deleted && selects(*change.object)};
  const std::string_view shown = shown_type(type, selected);
  if (shown.empty()) return;
  if (queue_ != nullptr && queue_->selects()) {
    return queue_->push({type, change.object, 0, {}, change.previous});
  }
  if (shown == kDeletedEvent && !deleted) {
    return send(out, shown, change.previous, change.object->revision);
  }
  send(out, shown, change.object);
}

void WatchStream::send_bookmark(std::string& out, Time now) {
  bookmarked_ = now;
  if (position_ == reported_) return;
  reported_ = position_;
  show_bookmark(out, WatchEventWriter::Bookmark::kProgress);
}

Time WatchStream::bookmark_due() const {
  if (plan_.bookmarks == WatchPlan::Bookmarks::kNone) return Time::max();
  const Time last = plan_.deadline - kLastBookmark;
  const Time next = bookmarked_ + kBookmarkInterval;
  if (bookmarked_ >= last) return Time::max();
  return std::min(next, last);
}

/// Watches of a custom resource end when its definition goes.
bool WatchStream::is_served() const {
  if (!resource_->custom) return true;
  return parts_.resources.now()->find(resource_->group, resource_->version, resource_->name) !=
         nullptr;
}

}  // namespace davit::sandbox

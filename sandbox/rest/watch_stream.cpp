#include "sandbox/rest/watch_stream.hpp"

#include <algorithm>

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
  if (phase_ == Phase::kWaiting) static_cast<void>(take_state());
}

HttpBodyStream::State WatchStream::read(std::string& out, std::size_t bytes_max) {
  const std::size_t size_max = out.size() + bytes_max;
  const Time now = parts_.clock.now();
  if (phase_ == Phase::kWaiting) wait(out, now);
  if (phase_ == Phase::kInitial) send_initial(out, size_max);
  if (phase_ == Phase::kLive && out.size() < size_max) {
    send_changes(out, size_max);
    if (phase_ == Phase::kLive && now >= bookmark_due()) send_bookmark(out, now);
    if (now >= plan_.deadline || !is_served()) phase_ = Phase::kEnded;
  }
  return phase_ == Phase::kEnded ? State::kEnded : State::kOpen;
}

void WatchStream::on_ready(std::function<void()> ready) {
  subscription_ = parts_.store.subscribe(resource_->collection, std::move(ready));
}

Time WatchStream::next_read() const {
  if (phase_ == Phase::kEnded) return Time::max();
  if (phase_ == Phase::kWaiting) return std::min(plan_.deadline, wait_.next_poll());
  return std::min(plan_.deadline, bookmark_due());
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
  std::erase_if(snapshot.objects,
                [&](const VersionPtr& each) { return !plan_.selection.matches(*each); });
  initial_ = std::move(snapshot.objects);
  position_ = reported_ = snapshot.revision;
  phase_ = Phase::kInitial;
  return true;
}

void WatchStream::send_initial(std::string& out, std::size_t size_max) {
  for (; sent_ < initial_.size() && out.size() < size_max; ++sent_) {
    writer_.append(out, "ADDED", *initial_[sent_]);
  }
  if (sent_ < initial_.size()) return;
  initial_ = {};
  phase_ = Phase::kLive;
  if (plan_.bookmarks == WatchPlan::Bookmarks::kAlsoAfterInitial) {
    writer_.append_bookmark(out, WatchEventWriter::Bookmark::kInitialEventsEnd, position_);
  }
}

void WatchStream::send_changes(std::string& out, std::size_t size_max) {
  while (out.size() < size_max) {
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
      if (out.size() >= size_max) return;
      send_change(out, each);
      position_ = each.object->revision;
    }
    if (changes->size() < kBatch) {
      position_ = std::max(position_, reached);
      return;
    }
  }
}

/// The stream shows the selected set: what begins to match is ADDED, what ceases is DELETED.
void WatchStream::send_change(std::string& out, const Change& change) {
  const Selection& selection = plan_.selection;
  const bool matched = change.previous != nullptr && selection.matches(*change.previous);
  if (change.type == ChangeType::kDeleted) {
    if (matched) writer_.append(out, "DELETED", *change.object);
    return;
  }
  const bool matches = selection.matches(*change.object);
  if (matches) return writer_.append(out, matched ? "MODIFIED" : "ADDED", *change.object);
  if (matched) writer_.append_at(out, "DELETED", *change.previous, change.object->revision);
}

void WatchStream::send_bookmark(std::string& out, Time now) {
  bookmarked_ = now;
  if (position_ == reported_) return;
  reported_ = position_;
  writer_.append_bookmark(out, WatchEventWriter::Bookmark::kProgress, position_);
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

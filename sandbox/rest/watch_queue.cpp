#include "sandbox/rest/watch_queue.hpp"

#include <iterator>
#include <utility>

#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

constexpr int kTooManyRequests = 429;

}  // namespace

WatchQueue::State WatchQueue::write(std::string& out, std::size_t size_max,
                                    WatchEventWriter& writer) {
  while (out.size() < size_max) {
    if (batch_.empty()) {
      if (waiting_.empty()) return State::kEmpty;
      if (!begin()) return State::kWaiting;
    }
    if (!finish()) return failure_ ? State::kFailed : State::kWaiting;
    write_batch(out, size_max, writer);
  }
  return batch_.empty() && waiting_.empty() ? State::kEmpty : State::kWaiting;
}

Time WatchQueue::next_read() const {
  if (task_ != nullptr) return task_->next_poll();
  return retry_at_.value_or(Time::max());
}

/// Starts the conversion of all that waits. False: no thread is free.
bool WatchQueue::begin() {
  std::vector<VersionPtr> versions;
  for (const Entry& each : waiting_) {
    if (each.previous != nullptr) versions.push_back(each.previous);
    if (each.version != nullptr) versions.push_back(each.version);
  }
  if (!versions.empty()) {
    // The definition may have another webhook by now.
    ResourcePtr now =
        parts_.resources.now()->find(resource_->group, resource_->version, resource_->name);
    const ResourcePtr resource = now == nullptr ? resource_ : std::move(now);
    outcome_ = std::make_shared<Outcome>();
    task_ = parts_.converter->start(
        resource->qualified_name(),
        [parts = parts_, outcome = outcome_, versions, resource](const std::stop_token& stop) {
          RestParts own = parts;
          own.stop = stop;
          outcome->emplace(load(own, versions, *resource));
        });
    if (task_ == nullptr) {
      retry_at_ = parts_.clock.now() + kRetryAfter;
      return false;
    }
  }
  retry_at_.reset();
  batch_ = std::exchange(waiting_, {});
  return true;
}

/// Takes the objects of the batch. False: they are not there yet, or never will be.
bool WatchQueue::finish() {
  if (task_ == nullptr) return true;
  if (!task_->done()) return false;
  task_.reset();
  const std::shared_ptr<Outcome> outcome = std::move(outcome_);
  if (!outcome->has_value()) {
    failure_ = internal_error("the conversion ended early");
    return false;
  }
  ApiResult<std::vector<Json>>& objects = **outcome;
  if (!objects && objects.error().code == kTooManyRequests) {
    waiting_.insert(waiting_.begin(), std::make_move_iterator(batch_.begin()),
                    std::make_move_iterator(batch_.end()));
    batch_.clear();
    retry_at_ = parts_.clock.now() + kRetryAfter;
    return false;
  }
  if (!objects) {
    failure_ = objects.error();
    return false;
  }
  objects_.assign(std::make_move_iterator(objects->begin()),
                  std::make_move_iterator(objects->end()));
  return true;
}

void WatchQueue::write_batch(std::string& out, std::size_t size_max, WatchEventWriter& writer) {
  while (!batch_.empty() && out.size() < size_max) {
    const Entry entry = std::move(batch_.front());
    batch_.pop_front();
    if (entry.version == nullptr) {
      writer.append_bookmark(out, entry.bookmark, entry.revision);
      continue;
    }
    write_object(out, entry, writer);
  }
}

Json WatchQueue::next_object() {
  Json out = std::move(objects_.front());
  objects_.pop_front();
  return out;
}

void WatchQueue::write_object(std::string& out, const Entry& entry, WatchEventWriter& writer) {
  Json previous = entry.previous == nullptr ? Json() : next_object();
  Json object = next_object();
  std::string_view type = entry.type;
  if (selection_ != nullptr) {
    type = shown_type(entry.type, {!previous.is_null() && selection_->matches(previous, *resource_),
                                   selection_->matches(object, *resource_)});
    if (type.empty()) return;
    if (type == kDeletedEvent && type != entry.type) {
      object = std::move(previous);
      object["metadata"].set("resourceVersion", std::to_string(entry.version->revision));
    }
  }
  if (entry.revision != 0) {
    object["metadata"].set("resourceVersion", std::to_string(entry.revision));
  }
  writer.append(out, type, object);
}

}  // namespace davit::sandbox

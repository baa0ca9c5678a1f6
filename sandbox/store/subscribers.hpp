/// The subscribers of a collection's changes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "lib/base/gate.hpp"

namespace davit::sandbox {

/// One subscriber's function. Thread-safe.
class Listener {
 public:
  explicit Listener(std::function<void()> notify) : notify_(std::move(notify)) {}

  /// Calls the function unless close() came first. Several threads may be inside it at once.
  void notify() const {
    if (const auto pass = gate_.enter()) notify_();
  }
  /// Waits for the calls that run.
  void close(Clock& clock) const {
    gate_.close();
    static_cast<void>(gate_.wait_empty(clock, Time::max()));
  }

 private:
  const std::function<void()> notify_;
  mutable Gate gate_;
};

/// The listeners of one collection, in the order in which they came. Not thread-safe: the store's
/// lock covers it, the list that current() returns does not need it.
class Subscribers {
 public:
  using List = std::shared_ptr<const std::vector<std::shared_ptr<const Listener>>>;

  /// Returns what remove() takes.
  std::uint64_t add(std::shared_ptr<const Listener> listener) {
    current_.reset();
    listeners_.emplace(++last_id_, std::move(listener));
    return last_id_;
  }
  void remove(std::uint64_t id) {
    current_.reset();
    listeners_.erase(id);
  }
  /// A snapshot of the subscribers, copied only after the set has changed, so that a write holds
  /// the lock for one reference, no matter how many subscribe. Null without subscribers.
  [[nodiscard]] List current() {
    if (current_ == nullptr && !listeners_.empty()) {
      std::vector<std::shared_ptr<const Listener>> list;
      list.reserve(listeners_.size());
      for (const auto& [id, listener] : listeners_) list.push_back(listener);
      current_ =
          std::make_shared<const std::vector<std::shared_ptr<const Listener>>>(std::move(list));
    }
    return current_;
  }

 private:
  std::map<std::uint64_t, std::shared_ptr<const Listener>> listeners_;
  std::uint64_t last_id_ = 0;
  List current_;
};

}  // namespace davit::sandbox

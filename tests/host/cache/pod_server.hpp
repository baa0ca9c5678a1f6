/// A server of pods for reflectors with threads of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/cache/resource_id.hpp"
#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {

/// Lists, also those of services, are of version 7, and each watch hears all that the test has sent
/// since its version. Thread-safe.
class PodServer final : public ListWatch {
 public:
  Status stream(const Selection& what, const ReflectorRequest& request, std::stop_token stop,
                const ChunkSink& sink) override {
    const std::stop_callback wake(stop, [this] {
      MutexLock lock(mutex_);
      changed_.notify_all();
    });
    if (request.kind == ReflectorRequest::Kind::kList) return list(what, stop, sink);
    Watch* const watch = begin_watch(parse_version(request.resource_version).value_or(0));
    Status sent = sink({});
    while (const std::optional<std::string> event = next_event(*watch, stop)) {
      sent = sink(*event);
      if (!sent.ok()) break;
    }
    end_watch(watch);
    return sent.ok() ? Status(Code::kCancelled, "stopped") : sent;
  }

  int size = 1;  ///< Pods that there are; set before the first list.

  void send(std::string event) {
    MutexLock lock(mutex_);
    events_.push_back(std::move(event));
    forget_heard();
    changed_.notify_all();
  }
  /// Lists and watches so far.
  [[nodiscard]] int requests() {
    MutexLock lock(mutex_);
    return lists_ + watches_;
  }
  /// Every list from now on is answered so; ok: with the pods.
  void respond_to_lists(Status status) {
    MutexLock lock(mutex_);
    list_response_ = std::move(status);
  }
  enum class Hold { kNothing, kLists, kWatches };
  /// Lists are not answered, or watches that begin from now on hear nothing, until the next call.
  void hold(Hold hold) {
    MutexLock lock(mutex_);
    hold_ = hold;
    for (Watch& each : open_) each.is_held = each.is_held && hold == Hold::kWatches;
    changed_.notify_all();
  }
  /// Waits until so many lists and watches were asked for in all.
  void await_requests(int count) {
    MutexLock lock(mutex_);
    while (lists_ + watches_ < count) changed_.wait(mutex_);
  }
  /// Waits until so many watches are open.
  void await_open(std::size_t count) {
    MutexLock lock(mutex_);
    while (open_.size() != count) changed_.wait(mutex_);
  }

 private:
  struct Watch {
    std::uint64_t version = 0;  // It hears what is newer.
    std::uint64_t next = 0;     // Number of the event that it looks at next.
    bool is_held = false;
  };
  /// More than a refill can miss; so many that a soak keeps a bounded number of them.
  static constexpr std::size_t kEventsKept = 1000;

  static std::uint64_t version_of(const std::string& event) {
    constexpr std::string_view kBefore = R"("resourceVersion":")";
    const std::size_t at = event.find(kBefore) + kBefore.size();
    return parse_version(std::string_view(event).substr(at, event.find('"', at) - at)).value_or(0);
  }

  Status list(const Selection& what, const std::stop_token& stop, const ChunkSink& sink) {
    std::vector<PodSpec> pods;
    {
      MutexLock lock(mutex_);
      ++lists_;
      changed_.notify_all();
      while (hold_ == Hold::kLists && !stop.stop_requested()) changed_.wait(mutex_);
      if (stop.stop_requested()) return {Code::kCancelled, "stopped"};
      if (!list_response_.ok()) return list_response_;
    }
    if (what.resource.resource == "pods")
      pods.push_back({.name = "a", .version = "5", .node = "n1"});
    for (int i = 1; i < size; ++i) {
      pods.push_back({.name = "pod-" + std::to_string(i), .version = "5"});
    }
    std::string body = list_json("7", pods);
    if (what.resource.resource == "services") body.replace(body.find("Pod"), 3, "Service");
    return sink(body);
  }

  Watch* begin_watch(std::uint64_t version) {
    MutexLock lock(mutex_);
    ++watches_;
    open_.push_back({version, first_, hold_ == Hold::kWatches});
    changed_.notify_all();
    return &open_.back();
  }
  void end_watch(const Watch* watch) {
    MutexLock lock(mutex_);
    open_.remove_if([watch](const Watch& each) { return &each == watch; });
    changed_.notify_all();
  }

  /// Waits for it; nothing once it is to stop. Delivered without the lock, which a stop takes too.
  std::optional<std::string> next_event(Watch& watch, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    while (!stop.stop_requested()) {
      if (watch.is_held || watch.next - first_ == events_.size()) {
        changed_.wait(mutex_);
        continue;
      }
      const std::string& event = events_[watch.next++ - first_];
      if (version_of(event) > watch.version) return event;
    }
    return std::nullopt;
  }

  void forget_heard() REQUIRES(mutex_) {
    std::uint64_t needed = first_ + events_.size();
    for (const Watch& each : open_) needed = std::min(needed, each.next);
    if (open_.empty()) needed = first_;
    for (; events_.size() > kEventsKept && first_ < needed; ++first_) events_.pop_front();
  }

  Mutex mutex_;
  CondVar changed_;
  int lists_ GUARDED_BY(mutex_) = 0;
  int watches_ GUARDED_BY(mutex_) = 0;
  std::deque<std::string> events_ GUARDED_BY(mutex_);
  std::uint64_t first_ GUARDED_BY(mutex_) = 0;  // Number of events_.front().
  std::list<Watch> open_ GUARDED_BY(mutex_);
  Status list_response_ GUARDED_BY(mutex_);
  Hold hold_ GUARDED_BY(mutex_) = Hold::kNothing;
};

}  // namespace davit::host

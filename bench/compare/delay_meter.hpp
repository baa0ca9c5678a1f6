/// The speed of a peer's reactions, as watches show it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/compare/delays.hpp"
#include "bench/compare/table.hpp"
#include "host/object/parse.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/follow.hpp"

namespace davit::bench {

/// Follows what causes a write, and the writes. Its watches cost the server CPU, for both peers the
/// same.
class DelayMeter {
 public:
  /// The changes of a collection that count.
  enum class Changes { kAll, kDeletions };
  /// The objects of a collection, and the keys of what one of them shows; empty: nothing.
  struct Side {
    host::ResourcePath path;
    std::function<std::vector<std::string>(host::Value object)> keys;
    Changes changes = Changes::kAll;
  };
  struct Effect {
    std::string name;  ///< In the rows: "Deployment to ReplicaSet".
    Side side;
  };

  /// `cluster` outlives it.
  DelayMeter(const live::ControlPlane& cluster, Side cause, std::vector<Effect> effects) {
    for (Effect& each : effects) found_.push_back({std::move(each.name), {}});
    follow(cluster, std::move(cause), [this](const std::string& key, Delays::Moment at) {
      for (Found& each : found_) each.delays.note_cause(key, at);
    });
    for (std::size_t i = 0; i < effects.size(); ++i) {
      follow(cluster, std::move(effects[i].side),
             [this, i](const std::string& key, Delays::Moment at) {
               found_[i].delays.note_effect(key, at);
             });
    }
  }

  /// Adds the percentiles of what has happened since the last call, as rows of `what`.
  void report(const std::string& peer, const std::string& what, Table& figures) {
    const std::lock_guard lock(mutex_);
    for (Found& each : found_) {
      const std::vector<double> delays = each.delays.take();
      const std::string row = what + ": " + each.name;
      for (const auto& [name, share] : {std::pair{", p50", 0.5}, std::pair{", p99", 0.99}}) {
        if (const auto value = percentile(delays, share)) {
          figures.add(peer, row + name, "ms", *value);
        }
      }
    }
  }

  /// The pairs of all effects that the next report() has.
  [[nodiscard]] std::size_t complete() {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const Found& each : found_) sum += each.delays.complete();
    return sum;
  }

  /// Leaves what has happened so far out of the next report().
  void forget() {
    const std::lock_guard lock(mutex_);
    for (Found& each : found_) (void)each.delays.take();
  }

 private:
  struct Found {
    std::string name;
    Delays delays;
  };

  static bool counts(Changes changes, host::WatchType type) {
    if (changes == Changes::kDeletions) return type == host::WatchType::kDeleted;
    return type != host::WatchType::kBookmark;
  }

  template <typename Note>
  void follow(const live::ControlPlane& cluster, Side side, Note note) {
    threads_.emplace_back([this, &cluster, side = std::move(side),
                           note = std::move(note)](const std::stop_token& end) {
      host::ObjectSpace space;
      live::follow(cluster.client(), side.path, end,
                   [&](host::WatchType type, std::string_view json) -> Result<std::string> {
                     const Delays::Moment now = std::chrono::steady_clock::now();
                     const Result<host::ObjectRef> object = host::parse_object(space, json);
                     if (!object) return object.error();
                     const host::Value root = object->root();
                     if (counts(side.changes, type)) {
                       const std::lock_guard lock(mutex_);
                       for (const std::string& key : side.keys(root)) note(key, now);
                     }
                     return std::string(root["metadata"]["resourceVersion"].string());
                   });
    });
  }

  std::mutex mutex_;
  std::vector<Found> found_;           // Under the lock, once threads run.
  std::vector<std::jthread> threads_;  // The last member: they use the others.
};

}  // namespace davit::bench

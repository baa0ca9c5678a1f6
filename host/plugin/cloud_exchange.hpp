/// Connects the loops of the plugin cloud with their provider (davit/cloud.h).
#pragma once

#include <davit/cloud.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/gate.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

class CloudSide;

/// Knows the controller that provides. Thread-safe; a provider is never called under the lock.
///
/// A build of a provider offers itself once its init() has succeeded, and serves from lead() on.
/// The first one counts at once, so that the loops find in their init what is offered; a later
/// build of it counts when it serves, or when the earlier one is withdrawn, as on a standby.
class CloudExchange {
 public:
  CloudExchange() = default;
  CloudExchange(const CloudExchange&) = delete;
  CloudExchange& operator=(const CloudExchange&) = delete;
  ~CloudExchange();

  /// kAlreadyExists: another controller provides; at most one may.
  Status offer(CloudSide& side) EXCLUDES(mutex_);
  /// `side` takes the place of an earlier build, unless it has been withdrawn.
  void serve(CloudSide& side) EXCLUDES(mutex_);
  /// No call of it begins any more. A build of it that has offered itself takes its place.
  void withdraw(CloudSide& side) EXCLUDES(mutex_);

  struct Offer {
    std::string name;
    std::uint32_t parts = 0;
    std::string classes;
    bool only_classes = false;
    std::uint64_t generation = 0;
    bool is_ready = false;
  };
  [[nodiscard]] std::optional<Offer> offer() const EXCLUDES(mutex_);

  /// Returns the provider, which stays alive as long as the pass. kNotFound: no controller
  /// provides. kUnavailable: it cannot be called now.
  using Entered = std::pair<CloudSide*, Gate::Pass>;
  [[nodiscard]] Result<Entered> enter() EXCLUDES(mutex_);

  /// Adds a target of wake(); takes over a reference. Targets of other builds of `controller` stay
  /// as long as they have a queue, because it is not known yet which build will serve.
  void follow(std::string_view controller, std::uint32_t part, davit_waker* waker) EXCLUDES(mutex_);
  /// See davit_cloud_host_v1.again.
  void wake(std::uint32_t part, std::string_view key) EXCLUDES(mutex_);

  /// The number of changes of the offered parts and classes, with a provider that came or went.
  [[nodiscard]] std::uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  /// Makes `side` the one that counts; null: none.
  void set(CloudSide* side) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CloudSide* side_ GUARDED_BY(mutex_) = nullptr;      // One of `sides_`, or null.
  std::vector<CloudSide*> sides_ GUARDED_BY(mutex_);  // All that are offered: builds of one.
  std::uint64_t generation_ GUARDED_BY(mutex_) = 0;
  // The key is the controller and the part; each waker has a reference.
  std::map<std::pair<std::string, std::uint32_t>, std::vector<davit_waker*>> followers_
      GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{0};  // Relaxed: it only says that there is something to do.
};

}  // namespace davit::host

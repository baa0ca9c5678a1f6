/// One resource, followed once for all controllers: a reflector, its store, and who listens.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/base/clock.hpp"
#include "host/base/log.hpp"
#include "host/base/mutex.hpp"
#include "host/base/random.hpp"
#include "host/cache/cache_metrics.hpp"
#include "host/cache/change.hpp"
#include "host/cache/reflector.hpp"
#include "host/cache/resource_id.hpp"
#include "host/cache/store.hpp"

namespace davit::host {

/// What a controller wants to follow.
struct InformerSpec {
  ResourceId resource;
  std::string label_selector;
  std::string field_selector;
  /// The field paths that the user reads; nothing: whole objects.
  std::optional<std::vector<std::string>> projection;
};

/// Everything around an informer; each reference outlives it.
struct InformerSeams {
  ListWatch& api;
  ObjectSpace& space;
  Clock& clock;
  Random& random;
  CacheMetrics& metrics;
};

/// A shared informer.
///
///   created ──start()──▶ filling ──first list──▶ synced ──stop()──▶ stopped
///
/// A failing server never empties it: readers keep the last known state. Listeners hear every
/// change in order; one that joins late first gets the present content, and then every later
/// change. Threads: all functions may be called from any; listeners are called under the informer's
/// delivery lock, which is why a Listener must be a leaf.
class Informer : private ReflectorTarget {
 public:
  /// How often listeners get every object again without a change: once in rand[1,2) times this
  /// (upstream's
  /// --min-resync-period of 12 h).
  static constexpr Duration kResyncMin = std::chrono::hours(12);

  Informer(InformerSpec spec, const InformerSeams& seams, Log log, ReflectorOptions options = {});
  ~Informer() override;

  [[nodiscard]] const InformerSpec& spec() const { return spec_; }
  [[nodiscard]] const ResourceId& resource() const { return spec_.resource; }
  /// Whether it follows every object of the resource. Only then does its version tell whether a
  /// write was seen.
  [[nodiscard]] bool is_unselected() const {
    return spec_.label_selector.empty() && spec_.field_selector.empty();
  }
  [[nodiscard]] const Store& store() const { return store_; }
  /// Whether the first content is in the store; for ever, once true.
  [[nodiscard]] bool has_synced() const { return synced_.load(std::memory_order_acquire); }

  /// As Store::add_index(). kUndeclared: the informer runs already and keeps no such path.
  Status add_index(std::string_view name, std::string_view path) EXCLUDES(delivery_);

  /// Whether a listener that joins after the first content hears of it through on_initial().
  enum class PastContent { kDeliver, kSkip };
  /// `listener` hears from now on; it must outlive its place here (see remove_listener()).
  void add_listener(Listener& listener, PastContent past = PastContent::kDeliver)
      EXCLUDES(delivery_);
  /// After this returns `listener` is called no more. Unknown ones are ignored.
  void remove_listener(Listener& listener) EXCLUDES(delivery_);

  /// Runs `act` between two changes: all listeners have heard of those before, none of those after.
  /// `act` is a leaf, as a Listener is.
  void between_changes(const std::function<void()>& act) EXCLUDES(delivery_) {
    MutexLock lock(delivery_);
    act();
  }

  /// Adds what a further user reads. False when it runs already and what it keeps does not cover
  /// that.
  bool widen(const std::optional<std::vector<std::string>>& projection) EXCLUDES(delivery_);

  /// Starts the reflector's thread; once, later calls do nothing. kInvalid: a projection path is
  /// malformed.
  Status start() EXCLUDES(delivery_);
  [[nodiscard]] bool started() const EXCLUDES(delivery_);
  /// Ends the reflector's thread and waits for it; for good.
  void stop() EXCLUDES(delivery_);

  /// Ends the present watch and lists everything again, as of now. Does nothing while such a list
  /// is under way.
  void request_relist(RelistReason reason) EXCLUDES(delivery_);

  /// What is due at `now`: a resync, the end of a deaf watch. Returns when to call again. Called by
  /// the factory's timekeeper.
  Time tick(Time now) EXCLUDES(delivery_);

  /// The reflector, for tests that drive it by hand instead of calling start(). Valid after
  /// prepare().
  Reflector& reflector() { return *reflector_; }
  /// What start() does before it starts the thread.
  Status prepare() EXCLUDES(delivery_);

 private:
  enum class Phase { kCreated, kPrepared, kRunning, kStopped };

  Replacement begin_replace() override { return Replacement(store_); }
  void replace(Replacement next, std::string_view resource_version) override EXCLUDES(delivery_);
  void apply(WatchType type, ObjectRef object) override EXCLUDES(delivery_);
  void bookmark(std::string_view resource_version) override EXCLUDES(delivery_);

  void deliver(const Change& change) REQUIRES(delivery_);
  void tell_progress(Time began) REQUIRES(delivery_);
  void resync() REQUIRES(delivery_);
  [[nodiscard]] std::vector<std::string> kept_paths() const REQUIRES(delivery_);

  const InformerSpec spec_;
  const InformerSeams seams_;
  const Log log_;
  const ReflectorOptions options_;
  const std::unique_ptr<InformerMetrics> metrics_;
  Store store_;
  std::atomic<bool> synced_{
      false};  // Released after the first content, so that who sees it finds that.
  std::unique_ptr<Reflector> reflector_;  // Set by prepare().

  // Held while the store changes and the listeners hear of it: no listener misses a change or hears
  // it twice.
  mutable Mutex delivery_;
  Phase phase_ GUARDED_BY(delivery_) = Phase::kCreated;
  std::vector<Listener*> listeners_ GUARDED_BY(delivery_);
  std::optional<std::vector<std::string>> projection_
      GUARDED_BY(delivery_);  // Of all users; nothing: everything.
  std::vector<std::string> index_paths_ GUARDED_BY(delivery_);
  bool relist_wanted_ GUARDED_BY(delivery_) = false;  // Requested, and no list has ended since.
  Time resync_due_ GUARDED_BY(delivery_) = Time::max();
  std::jthread thread_;  // Runs the reflector; last, so that it ends first.
};

}  // namespace davit::host

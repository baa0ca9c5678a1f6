/// One resource, followed once for all controllers: a reflector, its store, and who listens.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/cache/cache_metrics.hpp"
#include "host/cache/change.hpp"
#include "host/cache/reflector.hpp"
#include "host/cache/resource_id.hpp"
#include "host/cache/store.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The objects that a controller follows, and in which form they are fetched.
struct InformerSpec {
  ResourceId resource;
  std::string label_selector;
  std::string field_selector;
  /// The field paths that the user reads; nothing: whole objects.
  std::optional<std::vector<std::string>> projection;
  std::string ns{};  ///< Empty: all namespaces, or cluster-scoped.
  ObjectForm form = ObjectForm::kWhole;
};

/// The fields and indexes that one user of an informer needs.
struct CacheNeed {
  InformerSpec spec;
  struct Index {
    std::string name;
    std::string path;  ///< As Store::add_index() takes it.
  };
  std::vector<Index> indexes{};

  /// Adds the need of another user of the same resource and selectors.
  void add(const CacheNeed& other);
};

class FollowThreads;

/// Notified when a refill advances. Called with the informer's lock held; must not call back.
class RefillObserver {
 public:
  RefillObserver() = default;
  RefillObserver(const RefillObserver&) = delete;
  RefillObserver& operator=(const RefillObserver&) = delete;
  virtual ~RefillObserver() = default;
  virtual void refill_moved() = 0;
};

/// The dependencies of an informer; each must outlive it.
struct InformerSeams {
  ListWatch& api;
  ObjectSpace& space;
  Clock& clock;
  Random& random;
  CacheMetrics& metrics;
  /// Called once for each version of an object that the cache cannot hold, with the informer's lock
  /// held; must not call back. May be empty.
  std::function<void(const ResourceId& resource, const SkippedObject& object)> on_skip{};
  ServerContact* contact = nullptr;  ///< See ReflectorSeams.
  /// Called for consistent reads whose versions have gone back, before the content changes. Called
  /// without a lock; may be empty.
  std::function<void(const ResourceId& resource, std::string_view known, std::string_view version)>
      on_went_back{};
  /// Drives the reflectors of resources that rarely change; null: each has its own thread.
  FollowThreads* threads = nullptr;
};

/// A shared informer.
///
///   created ──start()──▶ filling ──first list──▶ synced ──stop()──▶ stopped
///
/// A failing server never empties it: readers keep the last known state. Listeners receive every
/// change in order; one that joins late first gets the current content, and then every later
/// change. Threads: all functions may be called from any; listeners are called under the informer's
/// delivery lock, so a Listener must be a leaf.
///
/// A refill makes it keep more: a second reflector fills a second store while the first keeps
/// serving. Once the second has seen everything that readers have seen, it replaces the first, and
/// listeners receive only the differences.
class Informer {
 public:
  Informer(InformerSpec spec, const InformerSeams& seams, Logger log,
           ReflectorOptions options = {});
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;
  ~Informer();

  [[nodiscard]] const InformerSpec& spec() const { return spec_; }
  [[nodiscard]] const ResourceId& resource() const { return spec_.resource; }
  /// Whether it follows every object of the resource. Only then does its version show whether a
  /// write was seen.
  [[nodiscard]] bool is_unselected() const {
    return spec_.label_selector.empty() && spec_.field_selector.empty() && spec_.ns.empty();
  }
  [[nodiscard]] const Store& store() const { return store_; }
  /// Whether the first content is in the store; stays true.
  [[nodiscard]] bool has_synced() const { return synced_.load(std::memory_order_acquire); }
  /// Whether the server allows the resource to be followed now: kNotFound while it does not serve
  /// it, kForbidden while it refuses. The store keeps its content. Changes are reported through
  /// on_availability().
  [[nodiscard]] Status availability() const EXCLUDES(delivery_);
  /// The freshness of the store; unknown before start().
  [[nodiscard]] Freshness freshness() const EXCLUDES(delivery_);

  /// Calls Store::add_index(). kUndeclared: the informer runs already and does not keep the path.
  Status add_index(std::string_view name, std::string_view path) EXCLUDES(delivery_);

  /// Whether a listener that joins after the initial content is notified of it through
  /// on_initial().
  enum class PastContent { kDeliver, kSkip };
  /// Notifies `listener` from now on; it must live until remove_listener().
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
  bool widen(const CacheNeed& need) EXCLUDES(delivery_);

  /// A second content on its way; see informer_refill.hpp.
  class Refill;
  /// Starts a second source that fetches everything again and also keeps what `need` adds. One at a
  /// time; an informer that was never started starts with it. The informer and `observer` outlive
  /// the refill. kInvalid: a path is malformed.
  Result<std::unique_ptr<Refill>> refill(const CacheNeed& need, RefillObserver& observer)
      EXCLUDES(delivery_);

  /// Starts to follow the resource; once, later calls do nothing. kInvalid: a projection path is
  /// malformed. kUnavailable: the system has no thread; may be called again.
  Status start() EXCLUDES(delivery_);
  [[nodiscard]] bool started() const EXCLUDES(delivery_);
  /// Ends that and waits for it; for good.
  void stop() EXCLUDES(delivery_);

  /// Ends the current watch and lists everything again, as of now. Does nothing while such a list
  /// is in progress.
  void request_relist(RelistReason reason) EXCLUDES(delivery_);

  /// Verifies the content as of `as_of` or later: calls on_verified() of the listeners when
  /// everything that the server had then is in the store, possibly at once. Also reports each
  /// verification before that. Costs one or two requests; a large content is listed again only if a
  /// watch of a few seconds shows no event or bookmark as new as the server's version.
  void verify(Time as_of) EXCLUDES(delivery_);
  /// Limits the silence after which the watch is renewed; the shortest limit applies. Before or
  /// after start().
  void limit_silence(Duration longest) EXCLUDES(delivery_);

  /// Does the work that is due at `now`: a resync, the end of a stalled watch, a verification.
  /// Returns when to call again. Called by the factory's timer thread.
  Time tick(Time now) EXCLUDES(delivery_);

  /// The reflector, for tests that drive it by hand instead of calling start(). Valid after
  /// prepare().
  Reflector& reflector() EXCLUDES(delivery_);
  /// The part of start() before it needs a thread.
  Status prepare() EXCLUDES(delivery_);

 private:
  enum class Phase { kCreated, kPrepared, kRunning, kStopped };

  /// A reflector, and the thread that drives it.
  class Source;

  // Receives a source's content: for the store if the source serves, for the refill's store if it
  // fills that; otherwise drops it.
  Replacement begin_replace(const Source& from) EXCLUDES(delivery_);
  void replace(const Source& from, Replacement next, std::string_view resource_version)
      EXCLUDES(delivery_);
  void apply(const Source& from, WatchType type, ObjectRef object) EXCLUDES(delivery_);
  void skip(const Source& from, WatchType type, SkippedObject object) EXCLUDES(delivery_);
  /// Handles one event of a watch. `put` changes the store that it gets, and returns the change for
  /// listeners.
  template <typename Put>
  void event(const Source& from, Put put) EXCLUDES(delivery_);
  void bookmark(const Source& from, std::string_view resource_version) EXCLUDES(delivery_);
  Comparison begin_comparison(const Source& from) EXCLUDES(delivery_);
  void pause() EXCLUDES(delivery_);
  void failed(const Source& from, const Status& status) EXCLUDES(delivery_);
  void verified(const Source& from) EXCLUDES(delivery_);
  void went_back(std::string_view known, std::string_view version);

  void set_availability(const Status& status) REQUIRES(delivery_);
  [[nodiscard]] bool serves(const Source& from) const REQUIRES(delivery_);
  [[nodiscard]] bool fills(const Source& from) const REQUIRES(delivery_);
  /// Lets the refill take its place, if it may and has seen all that readers have.
  void try_switch() REQUIRES(delivery_);
  /// Notifies the listeners of what a new content changes.
  void notify_content(const std::vector<Change>& changes, Time began) REQUIRES(delivery_);
  void deliver(const Change& change) REQUIRES(delivery_);
  /// Ends a series of deliver().
  void end_delivery() REQUIRES(delivery_);
  void notify_progress(Time began) REQUIRES(delivery_);
  /// Reports newly skipped objects to the log, the metrics and on_skip.
  void report_skipped() REQUIRES(delivery_);
  void resync() REQUIRES(delivery_);
  [[nodiscard]] Time next_resync(Time after);
  void want_verification(Time as_of) REQUIRES(delivery_);
  /// Listeners that have waited for too long find out whether the watch is stalled.
  void verify_overdue(Time now) REQUIRES(delivery_);
  /// Ends the pending verification, or requests what it still takes.
  void continue_verification() REQUIRES(delivery_);
  void notify_verified(Time as_of) REQUIRES(delivery_);
  void relist(RelistReason reason) REQUIRES(delivery_);
  /// The parse options of a source that keeps these paths.
  [[nodiscard]] Result<ParseOptions> parse_options(
      const std::optional<std::vector<std::string>>& projection,
      const std::vector<std::string>& index_paths) const;

  const InformerSpec spec_;
  const InformerSeams seams_;
  const Logger log_;
  const ReflectorOptions options_;
  const std::unique_ptr<InformerMetrics> metrics_;
  Store store_;
  std::atomic<bool> synced_{
      false};  // Released after the first content, so a reader of true sees it.

  // Held while the store changes and the listeners are notified, so that no listener misses a
  // change or gets it twice.
  mutable Mutex delivery_;
  Phase phase_ GUARDED_BY(delivery_) = Phase::kCreated;
  std::vector<Listener*> listeners_ GUARDED_BY(delivery_);
  bool is_delivering_ GUARDED_BY(delivery_) = false;  // on_pause() is still to be called.
  std::optional<std::vector<std::string>> projection_
      GUARDED_BY(delivery_);  // The union of all users; nothing: everything.
  std::vector<std::string> index_paths_ GUARDED_BY(delivery_);
  // The version of the last content or change, where the store's may be that of a bookmark.
  std::uint64_t changed_version_ GUARDED_BY(delivery_) = 0;
  Status availability_ GUARDED_BY(delivery_);
  Refill* refill_ GUARDED_BY(delivery_) = nullptr;    // On its way.
  bool relist_wanted_ GUARDED_BY(delivery_) = false;  // Requested, and no list has ended since.
  std::optional<Time> verify_wanted_ GUARDED_BY(delivery_);
  std::optional<Time> verified_ GUARDED_BY(delivery_);  // The latest that listeners have heard of.
  Duration silence_max_ GUARDED_BY(delivery_) = Duration::max();
  Time resync_due_ GUARDED_BY(delivery_) = Time::max();
  // Set by prepare(). Last, so that its thread ends first.
  std::unique_ptr<Source> source_ GUARDED_BY(delivery_);
};

}  // namespace davit::host

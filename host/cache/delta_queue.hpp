/// The delta queue: changes that wait for one controller's handlers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "host/cache/change.hpp"
#include "host/cache/informer.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Between the informers of one controller and its handlers: the informers put changes in and never
/// wait; one thread, the controller's dispatcher, takes them out and calls the handlers, one at a
/// time, in order.
///
/// Merging. A new update joins an update of the same object and UID that still waits: old state
/// of the first, new state of the last. Additions and deletions merge with nothing, so that a
/// handler sees every life of an object.
///
/// Bound. Up to kChangesMax changes wait as they came. Beyond that, each life of an object (one
/// UID) gets at most one more change: a further change of a life that waits already joins the last
/// waiting one, and the result describes how the object differs from the state that the handler
/// saw last:
///     added + updated   = added, with the new state        updated + deleted = deleted
///     added + deleted   = both, one after the other        updated to another UID: as it came
///     updated to another UID + deleted = both, as they came
/// So a handler sees each creation and each deletion, and a controller that counts expected
/// creations misses none. Only beyond kLivesFactor times as many changes is a deletion merged with
/// the next creation of that name, as after a gap in a watch (deleted + added = updated, with
/// different UIDs; such an update + deleted = the deletion of the former object, with a tombstone).
/// The memory for a stuck handler is therefore bounded: that many changes, plus one with two states
/// for each object.
///
/// The first content of an informer waits as one block outside this count: a plain list of objects
/// that the store holds anyway.
///
/// Two delta queues can be brought to the same point of the cluster's history: hold_together(),
/// wait_held() of both, release() of both. Changes that arrive before the release wait.
class DeltaQueue {
 public:
  /// Enough that a burst (a rollout of some hundred pods, several changes each) passes unmerged;
  /// little enough that a stuck handler holds a few hundred KiB.
  static constexpr std::size_t kChangesMax = 4096;
  /// Names are seldom used again so often while one handler runs.
  static constexpr std::size_t kLivesFactor = 4;

  /// Called on the dispatcher's thread for each change.
  using Handler = std::function<void(const Change&)>;

  /// A listener for whose first content the controller does not wait. All functions but the handler
  /// may be empty; those that do not say otherwise are called on any thread and must not block.
  struct Guest {
    Handler handler{};                  ///< May be empty.
    std::function<void()> on_filled{};  ///< It has returned from all of the first content.
    /// It has returned from all that the server had then; see Informer::verify().
    std::function<void(Time as_of)> on_verified{};
    std::function<void()> on_availability{};  ///< See Listener.
    std::function<void()>
        on_left{};  ///< After leave(): on the dispatcher's thread, as the last call.
  };

  explicit DeltaQueue(std::size_t changes_max = kChangesMax);
  /// Leaves all informers, which must still live.
  ~DeltaQueue();
  DeltaQueue(const DeltaQueue&) = delete;
  DeltaQueue& operator=(const DeltaQueue&) = delete;

  /// Follows `informer` and passes its changes to `handler`; with an empty handler it only waits
  /// for the initial content. May be called several times for one informer: each handler gets all
  /// changes. Any thread.
  void join(Informer& informer, Handler handler) EXCLUDES(mutex_);

  /// As join(), at run time. `place` is for leave(), and like no other in use.
  void join_guest(Informer& informer, std::uint64_t place, Guest guest) EXCLUDES(mutex_);
  /// After this returns no call to the guest begins but on_left(); one that runs now is not waited
  /// for. The informer must live until then. An unknown place is ignored. Any thread.
  void leave(std::uint64_t place) EXCLUDES(mutex_);

  /// Whether all joined informers except guests are filled and their handlers have returned for
  /// every object of the initial content.
  [[nodiscard]] bool initial_delivered() const EXCLUDES(mutex_);

  /// Calls `done`, once, when the handlers have returned from all that the server had at `as_of`:
  /// the dispatcher in wait(), or at once where nothing is joined. For Informer::verify() of the
  /// joined informers, after this. Any thread; a second call replaces the first.
  void when_current(Time as_of, std::function<void()> done) EXCLUDES(mutex_);

  /// Hands the oldest change to its handler; false when none waits. Dispatcher only.
  bool step() EXCLUDES(mutex_);
  /// Waits until a change waits, initial_delivered() has become true, or `stop` is requested;
  /// returns whether a change waits. Dispatcher only.
  bool wait(const std::stop_token& stop) EXCLUDES(mutex_);

  /// Changes that wait, objects of first contents included.
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);

  /// From one point on in the changes of each informer of either, the same for both, nothing is
  /// handed out until release(). Both must have their first contents.
  static void hold_together(DeltaQueue& a, DeltaQueue& b);
  /// Waits, after hold_together(), until the handlers have returned from all that came before;
  /// false when `deadline` comes first.
  [[nodiscard]] bool wait_held(Clock& clock, Time deadline) EXCLUDES(mutex_);
  void release() EXCLUDES(mutex_);

 private:
  class Source;
  struct Pending {
    Change change;             // Empty with `verified`.
    std::uint64_t object = 0;  // Hash of source and name.
    Source* source = nullptr;  // Null: of a guest that has left.
    // Added, with the state `change.old`, and then deleted, with `change.current`: an addition and
    // a deletion in one, delivered one after the other.
    bool is_short_lived = false;
    std::optional<Time> verified{};  // No change: a guest's content was verified as of then.
  };
  /// Changes in the order of their coming.
  struct Backlog {
    std::deque<Pending> changes;
    std::uint64_t first = 0;  // Number of changes.front().
    // The number of the last change that waits for an object.
    std::unordered_map<std::uint64_t, std::uint64_t> last;

    void append(Pending change);
    /// After all changes that wait; merges with none.
    void append_verified(Source& source, Time as_of);
  };
  /// The result of step().
  struct Delivery {
    Source* source = nullptr;
    Change change;
    std::optional<Time> verified{};  // Instead of a change.
    bool ends_initial = false;       // The last of its source's first content.
  };

  /// The source is in sources_ then, and its informer does not know it yet.
  [[nodiscard]] Source& add_source(std::unique_ptr<Source> source) EXCLUDES(mutex_);
  /// Takes `source` off its changes, which are skipped then.
  static void drop(Backlog& backlog, const Source& source);
  /// Calls on_left() of a guest; false when none has left.
  bool step_left() EXCLUDES(mutex_);
  void push(Source& source, const Change& change) EXCLUDES(mutex_);
  void push_verified(Source& source, Time as_of) EXCLUDES(mutex_);
  /// Calls what `delivery` is for.
  static void hand_out(const Delivery& delivery);
  /// Wakes the dispatcher for what was pushed.
  void announce() EXCLUDES(mutex_);
  void push_initial(Source& source, std::vector<ObjectRef> content) EXCLUDES(mutex_);
  void note_verified(Source& source, Time as_of) EXCLUDES(mutex_);
  /// Whether nothing precedes the point for which when_current() waits.
  [[nodiscard]] bool is_current() const REQUIRES(mutex_);
  /// Merges into the last change that waits for the object, if there is one and the rules let it.
  bool merge(Backlog& backlog, std::uint64_t object, const Source& source,
             const Change& change) const REQUIRES(mutex_);
  static void merge_lives(Pending& last, const Change& next);
  bool pop(Delivery& out) EXCLUDES(mutex_);
  [[nodiscard]] bool empty() const REQUIRES(mutex_);
  [[nodiscard]] std::vector<Informer*> joined() const EXCLUDES(mutex_);
  void hold(const Informer& informer) EXCLUDES(mutex_);

  const std::size_t changes_max_;
  mutable Mutex mutex_;
  CondVar filled_;
  std::vector<std::unique_ptr<Source>> sources_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Source>> left_ GUARDED_BY(mutex_);  // Guests to be called once more.
  std::uint64_t joined_ever_ GUARDED_BY(mutex_) = 0;
  // Sources whose first content is being delivered, one after the other, each before its later
  // changes.
  std::deque<Source*> initial_ GUARDED_BY(mutex_);
  Backlog backlog_ GUARDED_BY(mutex_);
  Backlog later_ GUARDED_BY(mutex_);  // Changes of sources that are held.
  CondVar idle_;                      // A handler has returned, and nothing waits.
  bool delivering_ GUARDED_BY(mutex_) = false;
  // Sources whose first content is not delivered yet.
  std::size_t undelivered_ GUARDED_BY(mutex_) = 0;
  /// The state that when_current() waits for.
  struct Goal {
    Time as_of;
    std::function<void()> done;
    std::size_t unverified = 0;  // Sources that have not come so far.
    std::uint64_t behind = 0;    // Number of the first change after it, once all have.
  };
  std::optional<Goal> goal_ GUARDED_BY(mutex_);
  // Whether wait() has returned since undelivered_ fell to 0.
  bool complete_reported_ GUARDED_BY(mutex_) = false;
};

}  // namespace davit::host

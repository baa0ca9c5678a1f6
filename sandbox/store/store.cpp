#include "sandbox/store/store.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lib/base/assert.hpp"
#include "lib/base/mutex.hpp"
#include "sandbox/store/history.hpp"
#include "sandbox/store/subscribers.hpp"
#include "sandbox/store/version_text.hpp"

namespace davit::sandbox {

namespace {

struct ObjectKey {
  std::string_view ns;
  std::string_view name;
};

/// Orders by namespace, then name, as lists do.
struct ByKey {
  using is_transparent = void;
  static ObjectKey key(const VersionPtr& version) { return {version->ns, version->name}; }
  static ObjectKey key(const ObjectKey& key) { return key; }
  bool operator()(const auto& a, const auto& b) const {
    const ObjectKey x = key(a);
    const ObjectKey y = key(b);
    return std::tie(x.ns, x.name) < std::tie(y.ns, y.name);
  }
};
using Objects = std::set<VersionPtr, ByKey>;

/// The objects and the history of one collection.
struct StoredCollection {
  explicit StoredCollection(Revision floor) : history(floor) {}

  Objects objects;
  History history;
  Subscribers subscribers;
};

/// A version but for its revision, made before the lock is taken.
class Prepared {
 public:
  explicit Prepared(Draft draft) : text_(draft.object) {
    version_.ns = std::move(draft.ns);
    version_.name = std::move(draft.name);
    version_.uid = draft.object.text_at({"metadata", "uid"});
    version_.labels = std::move(draft.labels);
    version_.fields = std::move(draft.fields);
    std::sort(version_.labels.begin(), version_.labels.end());
  }

  [[nodiscard]] ObjectKey key() const { return {version_.ns, version_.name}; }
  /// Once.
  [[nodiscard]] VersionPtr at(Revision revision) {
    version_.revision = revision;
    version_.text = text_.with(revision);
    return std::make_shared<const Version>(std::move(version_));
  }

 private:
  Version version_;
  VersionText text_;
};

std::vector<VersionPtr> listed(const Objects& objects, std::string_view ns) {
  if (ns.empty()) return {objects.begin(), objects.end()};
  std::vector<VersionPtr> out;
  for (auto each = objects.lower_bound(ObjectKey{ns, ""}); each != objects.end(); ++each) {
    if ((*each)->ns != ns) break;
    out.push_back(*each);
  }
  return out;
}

/// Takes back what happened after `at`, newest first.
void undo(Objects& objects, const History& history, Revision at) {
  const auto& entries = history.entries();
  for (auto each = entries.rbegin(); each != entries.rend() && each->revision() > at; ++each) {
    if (const auto found = objects.find(each->change.object); found != objects.end()) {
      objects.erase(found);
    }
    if (each->change.previous != nullptr) objects.insert(each->change.previous);
  }
}

Status too_old(Revision asked, Revision floor) {
  return {Code::kExpired, "too old resource version: " + std::to_string(asked) + " (" +
                              std::to_string(floor) + ")"};
}

}  // namespace

struct Store::State {
  State(Clock& the_clock, StoreLimits the_limits, Journal* the_journal)
      : clock(the_clock), limits(the_limits), journal(the_journal) {}

  StoredCollection& stored(const Collection& collection) REQUIRES(mutex) {
    return collections.try_emplace(collection, floor).first->second;
  }
  [[nodiscard]] const StoredCollection* find_stored(const Collection& collection) const
      REQUIRES(mutex) {
    const auto found = collections.find(collection);
    return found == collections.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Revision floor_of(const Collection& collection) const REQUIRES(mutex) {
    const StoredCollection* found = find_stored(collection);
    return found == nullptr ? floor : found->history.floor();
  }

  /// The object at `key`, when its revision is `expected`.
  [[nodiscard]] Result<VersionPtr> expect(const Collection& collection, ObjectKey key,
                                          Revision expected) const REQUIRES(mutex) {
    const StoredCollection* found = find_stored(collection);
    if (found == nullptr) return Status(Code::kNotFound, "no such object");
    const auto object = found->objects.find(key);
    if (object == found->objects.end()) return Status(Code::kNotFound, "no such object");
    if ((*object)->revision != expected) {
      return Status(Code::kConflict, "the object has been modified");
    }
    return *object;
  }

  /// Journal, objects, history, in this order: a write that the journal refuses did not happen.
  /// Adds to `listeners` those to notify once the lock is released.
  Status commit(const Collection& collection, Change change, Subscribers::List& listeners)
      REQUIRES(mutex) {
    if (journal != nullptr) {
      if (Status kept = journal->append(collection, change); !kept.ok()) return kept;
    }
    revision = change.object->revision;
    StoredCollection& to = stored(collection);
    if (change.previous != nullptr) to.objects.erase(change.previous);
    if (change.type != ChangeType::kDeleted) to.objects.insert(change.object);
    push(to.history, std::move(change));
    listeners = to.subscribers.current();
    return {};
  }

  void push(History& history, Change change) REQUIRES(mutex) {
    history_bytes -= history.bytes();
    history.push(std::move(change), clock.now(), limits);
    history_bytes += history.bytes();
    while (history_bytes > limits.bytes_max) {
      History& oldest = oldest_history();
      if (oldest.entries().empty()) break;
      history_bytes -= oldest.bytes();
      oldest.forget_oldest();
      history_bytes += oldest.bytes();
    }
  }

  /// The history with the oldest change of all; one without changes if there is none.
  History& oldest_history() REQUIRES(mutex) {
    const auto before = [](const auto& a, const auto& b) {
      const auto& x = a.second.history.entries();
      const auto& y = b.second.history.entries();
      return !x.empty() && (y.empty() || x.front().revision() < y.front().revision());
    };
    return std::min_element(collections.begin(), collections.end(), before)->second.history;
  }

  void forget_histories() REQUIRES(mutex) {
    floor = revision;
    history_bytes = 0;
    for (auto& [collection, stored] : collections) {
      stored.history.forget(revision);
      history_bytes += stored.history.bytes();
    }
  }

  /// The end of every write, outside the lock.
  void finish(const Subscribers::List& listeners) EXCLUDES(mutex) {
    if (journal != nullptr) journal->after_write();
    if (listeners == nullptr) return;
    for (const std::shared_ptr<const Listener>& each : *listeners) each->notify();
  }

  /// update() and remove().
  Result<VersionPtr> replace(const Collection& collection, Draft draft, Revision expected,
                             ChangeType type) EXCLUDES(mutex) {
    Prepared prepared(std::move(draft));
    VersionPtr made;
    Subscribers::List listeners;
    {
      MutexLock lock(mutex);
      Result<VersionPtr> old = expect(collection, prepared.key(), expected);
      if (!old) return old;
      made = prepared.at(revision + 1);
      if (Status s = commit(collection, {type, made, std::move(*old)}, listeners); !s.ok())
        return s;
    }
    finish(listeners);
    return made;
  }

  Clock& clock;
  const StoreLimits limits;
  Journal* const journal;

  mutable Mutex mutex;
  Revision revision GUARDED_BY(mutex) = 1;
  std::size_t history_bytes GUARDED_BY(mutex) = 0;  ///< The sum over all collections.
  Revision floor GUARDED_BY(mutex) = 0;             ///< For collections that never held an object.
  std::map<Collection, StoredCollection> collections GUARDED_BY(mutex);
};

Store::Store(Clock& clock, StoreLimits limits, Journal* journal)
    : state_(std::make_unique<State>(clock, limits, journal)) {}
Store::~Store() = default;

Revision Store::revision() const {
  MutexLock lock(state_->mutex);
  return state_->revision;
}

VersionPtr Store::get(const Collection& collection, std::string_view ns,
                      std::string_view name) const {
  MutexLock lock(state_->mutex);
  const StoredCollection* stored = state_->find_stored(collection);
  if (stored == nullptr) return nullptr;
  const auto found = stored->objects.find(ObjectKey{ns, name});
  return found == stored->objects.end() ? nullptr : *found;
}

Snapshot Store::list(const Collection& collection, std::string_view ns) const {
  MutexLock lock(state_->mutex);
  const StoredCollection* stored = state_->find_stored(collection);
  if (stored == nullptr) return {state_->revision, {}};
  return {state_->revision, listed(stored->objects, ns)};
}

Result<Snapshot> Store::list_at(const Collection& collection, std::string_view ns,
                                Revision at) const {
  MutexLock lock(state_->mutex);
  if (at > state_->revision) {
    return Status(Code::kMisuse, "too large resource version: " + std::to_string(at) +
                                     ", current: " + std::to_string(state_->revision));
  }
  const Revision floor = state_->floor_of(collection);
  if (at < floor) return too_old(at, floor);
  const StoredCollection* stored = state_->find_stored(collection);
  if (stored == nullptr) return Snapshot{at, {}};
  Objects objects = stored->objects;
  undo(objects, stored->history, at);
  return Snapshot{at, listed(objects, ns)};
}

Result<VersionPtr> Store::create(const Collection& collection, Draft draft) {
  Prepared prepared(std::move(draft));
  VersionPtr made;
  Subscribers::List listeners;
  {
    MutexLock lock(state_->mutex);
    const StoredCollection* stored = state_->find_stored(collection);
    if (stored != nullptr && stored->objects.contains(prepared.key())) {
      return Status(Code::kAlreadyExists, "the name is taken");
    }
    made = prepared.at(state_->revision + 1);
    Status s = state_->commit(collection, {ChangeType::kAdded, made, nullptr}, listeners);
    if (!s.ok()) return s;
  }
  state_->finish(listeners);
  return made;
}

Result<VersionPtr> Store::update(const Collection& collection, Draft draft, Revision expected) {
  return state_->replace(collection, std::move(draft), expected, ChangeType::kModified);
}

Result<VersionPtr> Store::remove(const Collection& collection, Draft last, Revision expected) {
  return state_->replace(collection, std::move(last), expected, ChangeType::kDeleted);
}

Result<std::vector<Change>> Store::changes(const Collection& collection, Revision after,
                                           std::size_t max) const {
  MutexLock lock(state_->mutex);
  const Revision floor = state_->floor_of(collection);
  if (after < floor) return too_old(after, floor);
  const StoredCollection* stored = state_->find_stored(collection);
  if (stored == nullptr) return std::vector<Change>();
  return stored->history.after(after, max);
}

std::unique_ptr<Store::Subscription> Store::subscribe(const Collection& collection,
                                                      std::function<void()> notify) {
  class Active final : public Subscription {
   public:
    Active(State& state, const Collection& collection, std::shared_ptr<const Listener> listener)
        : state_(state), collection_(collection), listener_(std::move(listener)) {
      MutexLock lock(state_.mutex);
      id_ = state_.stored(collection_).subscribers.add(listener_);
    }
    ~Active() override {
      {
        MutexLock lock(state_.mutex);
        state_.stored(collection_).subscribers.remove(id_);
      }
      listener_->close(state_.clock);
    }

   private:
    State& state_;
    const Collection collection_;
    const std::shared_ptr<const Listener> listener_;
    std::uint64_t id_ = 0;
  };
  return std::make_unique<Active>(*state_, collection,
                                  std::make_shared<const Listener>(std::move(notify)));
}

void Store::compact() {
  MutexLock lock(state_->mutex);
  state_->forget_histories();
}

void Store::restore(const Collection& collection, VersionPtr version) {
  MutexLock lock(state_->mutex);
  state_->stored(collection).objects.insert(std::move(version));
}

void Store::restore_revision(Revision revision) {
  MutexLock lock(state_->mutex);
  state_->revision = revision;
  state_->forget_histories();
}

}  // namespace davit::sandbox

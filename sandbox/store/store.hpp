/// The sandbox's storage: versioned objects, one revision counter for all kinds, and for each
/// collection a bounded history from which watches and exact lists read.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// metadata.resourceVersion as a number.
using Revision = std::uint64_t;

/// The collection of a kind's objects: the plural of its storage resource, and the group ("" for
/// core). Two resources may share a collection (events of v1 and of events.k8s.io).
struct Collection {
  std::string group;
  std::string resource;
  friend auto operator<=>(const Collection&, const Collection&) = default;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// One version of one object. Immutable and shared by its readers.
struct Version {
  std::string ns;  ///< Empty: cluster-scoped.
  std::string name;
  std::string uid;
  Revision revision = 0;
  Pairs labels;      ///< Sorted by key.
  Pairs fields;      ///< The fields for field selectors, without metadata.name and .namespace.
  std::string text;  ///< The whole object as JSON, with apiVersion, kind and resourceVersion.

  /// Parses `text` at every call.
  [[nodiscard]] Json json() const { return json_literal(text); }
};
using VersionPtr = std::shared_ptr<const Version>;

/// An object to write. The store sets metadata.resourceVersion.
struct Draft {
  std::string ns;
  std::string name;
  Json object;
  Pairs labels;  ///< In any order.
  Pairs fields;
};

enum class ChangeType : std::uint8_t { kAdded, kModified, kDeleted };

/// One entry of a collection's history. For kDeleted, `object` is the last state with the revision
/// of the deletion.
struct Change {
  ChangeType type;
  VersionPtr object;
  VersionPtr previous;  ///< Null for kAdded.
};

/// A consistent list, sorted by namespace, then name.
struct Snapshot {
  Revision revision = 0;
  std::vector<VersionPtr> objects;
};

struct StoreLimits {
  /// The history that each collection keeps at least, in number of changes and in time. A real
  /// server keeps 75 s or more.
  std::size_t changes_min = 1000;
  Duration age_min = std::chrono::minutes(5);
  /// The history that a collection keeps at most, regardless of age; bounds the memory of a busy
  /// collection.
  std::size_t changes_max = 100'000;
  /// The memory that the history of all collections takes at most beyond the existing objects,
  /// regardless of age and number. Five minutes of 5,000 changes a minute, of 3.6 KB each, fit.
  std::size_t bytes_max = std::size_t{96} * 1024 * 1024;
};

/// Makes every write durable before it is acknowledged.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  /// Called under the store's lock, in order of revisions. A failure refuses the write.
  [[nodiscard]] virtual Status append(const Collection& collection, const Change& change) = 0;
  /// Called after a write, on the writer's thread and outside every lock, for maintenance.
  virtual void after_write() = 0;
};

/// Thread-safe. Calls only the journal under its lock. `clock` and `journal` must outlive it.
class Store {
 public:
  explicit Store(Clock& clock, StoreLimits limits = {}, Journal* journal = nullptr);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The revision of the last write; 1 before the first.
  [[nodiscard]] Revision revision() const;

  /// The current version of an object, or null.
  [[nodiscard]] VersionPtr get(const Collection& collection, std::string_view ns,
                               std::string_view name) const;
  /// The current content of a namespace; with an empty `ns`, of the collection.
  [[nodiscard]] Snapshot list(const Collection& collection, std::string_view ns) const;
  /// The content at revision `at`. kExpired if the history no longer has it; kMisuse for a future
  /// revision.
  [[nodiscard]] Result<Snapshot> list_at(const Collection& collection, std::string_view ns,
                                         Revision at) const;

  /// Creates an object; kAlreadyExists if the name is taken.
  [[nodiscard]] Result<VersionPtr> create(const Collection& collection, Draft draft);
  /// Replaces the version `expected`. kConflict if the current version is another one, kNotFound if
  /// the object does not exist.
  [[nodiscard]] Result<VersionPtr> update(const Collection& collection, Draft draft,
                                          Revision expected);
  /// Removes the version `expected`; `last` is its final content, which DELETED shows. kConflict
  /// and kNotFound as for update().
  [[nodiscard]] Result<VersionPtr> remove(const Collection& collection, Draft last,
                                          Revision expected);

  /// The changes after `after`, oldest first, at most `max`. kExpired if the history no longer has
  /// them: "too old resource version: 5 (703)". A cursor that got fewer than `max` changes may
  /// advance to the result of revision() before the call, so that compact() does not expire an idle
  /// cursor.
  [[nodiscard]] Result<std::vector<Change>> changes(const Collection& collection, Revision after,
                                                    std::size_t max) const;

  /// Calls `notify` after every change of the collection, on the writer's thread and outside every
  /// lock, until the subscription is destroyed; the destructor waits for running calls. `notify`
  /// must not destroy its own subscription.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    virtual ~Subscription() = default;
  };
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(const Collection& collection,
                                                        std::function<void()> notify);

  /// Discards the history, like etcd's compaction: watches from earlier revisions get 410.
  void compact();

  /// Restores an object from a journal; only before the first write. The version's revision becomes
  /// the store's, and there is no history before it.
  void restore(const Collection& collection, VersionPtr version);
  void restore_revision(Revision revision);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace davit::sandbox

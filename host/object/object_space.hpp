/// The tables that all objects of a process share: interned member names and projections.
#pragma once

#include <davit/abi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit::host {

/// A projection, or a place inside one, as kept in davit_value.mask.
using Mask = std::uint32_t;
/// Everything at and below this place is visible.
inline constexpr Mask kFullMask = 0;
/// Nothing is visible. Never the mask of a value that is handed out.
inline constexpr Mask kNothingMask = 1;

class LentMemory;
class ObjectSpace;

/// Observes what plugins read through projections.
class ReadObserver {
 public:
  ReadObserver() = default;
  ReadObserver(const ReadObserver&) = delete;
  ReadObserver& operator=(const ReadObserver&) = delete;
  virtual ~ReadObserver() = default;

  /// The end of a declared path was reached: `member` of the place, or with an empty one any of its
  /// elements. On any thread.
  virtual void reached(const ObjectSpace& space, Mask place, std::string_view member) = 0;
};

/// The tools of a host that looks for mistakes of plugins; null: none. Each outlives the space.
struct ObjectDebugging {
  ReadObserver* reads = nullptr;
  LentMemory* lent = nullptr;  ///< Has the objects that calls borrow.
};

/// Interned member names and projection tries. One per process, made in main; outlives every
/// object.
///
/// Both tables only grow and are bounded. Reading them takes no lock, so it is cheap on any number
/// of threads; adding takes one. An entry is published before its id is returned, and never moves.
///
/// Path grammar of projections and indexes:
///     path    = step { "." member | "[]" | "['" key "']" }
///     step    = member | "['" key "']"
///     member  = one or more bytes other than . [ ] '
///     "[]"    every element of an array          "['key']"  one key of a map, which may hold dots
/// A path includes everything below it: "metadata.labels", "spec.containers[].name",
/// "metadata.annotations['controller.kubernetes.io/pod-deletion-cost']".
class ObjectSpace {
 public:
  /// Names that object keys may take up; later ones are kept inside their objects.
  static constexpr std::size_t kDataNamesMax = 8192;
  /// The limit on names. Those above kDataNamesMax are reserved for intern(), so no content of a
  /// cluster can use up the names that plugins need.
  static constexpr std::size_t kNamesMax = 16384;
  /// Longer keys are data, not field names, and are never interned.
  static constexpr std::size_t kDataNameBytesMax = 64;
  /// Places of all projections together.
  static constexpr std::size_t kPlacesMax = 65536;

  ObjectSpace();
  ObjectSpace(const ObjectSpace&) = delete;
  ObjectSpace& operator=(const ObjectSpace&) = delete;
  ~ObjectSpace();

  /// The id of a member name, added if new; 0 if `name` is empty or too long, or the table is full.
  davit_name intern(std::string_view name) EXCLUDES(mutex_);

  /// The same for a key met in an object, which may not take the room kept for intern(). On 0 the
  /// key stays inline in its object, where lookups find it all the same.
  davit_name intern_data(std::string_view key) EXCLUDES(mutex_);

  /// The id of a name that is already known, else 0. Takes no lock.
  [[nodiscard]] davit_name find(std::string_view name) const;

  /// The text of an id; empty for 0 and for ids that were never given out. Lives as long as this.
  [[nodiscard]] std::string_view text(davit_name name) const;

  /// Compiles paths to the mask of an object's root that makes exactly them visible, and what is
  /// always readable: apiVersion, kind, metadata.{name,namespace,uid,resourceVersion}. The same set
  /// of paths gives the same mask. kInvalid names the bad path; kUnsupported when a table is full.
  Result<Mask> add_projection(std::span<const std::string> paths) EXCLUDES(mutex_);

  /// Like add_projection(), for ParseOptions::keep_mask: the paths, and the metadata that the host
  /// itself reads of each object, which is the above and the UID of the controlling owner.
  Result<Mask> add_keep_projection(std::span<const std::string> paths) EXCLUDES(mutex_);

  /// The mask of member `name` below `mask`; kNothingMask when it is outside. Takes no lock.
  [[nodiscard]] Mask member_mask(Mask mask, davit_name name) const;
  /// The same for a key that may not be interned.
  [[nodiscard]] Mask member_mask(Mask mask, std::string_view key) const;
  /// The mask of every element below `mask`.
  [[nodiscard]] Mask element_mask(Mask mask) const;

  /// Before the first object.
  void set_debugging(const ObjectDebugging& debugging) { debugging_ = debugging; }
  [[nodiscard]] LentMemory* lent_memory() const { return debugging_.lent; }

  /// The number of members that a place below kFullMask names. Takes no lock.
  [[nodiscard]] std::size_t member_count(Mask mask) const;

  /// The location of a place in a projection: the mask of the projection's root, and the path from
  /// there; for messages.
  struct MaskLocation {
    Mask root = kNothingMask;
    std::string path;  ///< In the grammar above; empty for the root.
  };
  [[nodiscard]] MaskLocation location_of(Mask mask) const EXCLUDES(mutex_);

 private:
  struct Name;
  struct NameTable;
  struct Edge;
  struct Place;
  struct Draft;
  static constexpr std::size_t kNamesPerChunk = 256;
  static constexpr std::size_t kPlacesPerChunk = 64;

  davit_name add_name(std::string_view name, std::size_t limit) EXCLUDES(mutex_);
  void grow_table() REQUIRES(mutex_);
  Status add_path(Draft& draft, std::string_view path) EXCLUDES(mutex_);
  Result<Mask> publish(Draft& draft) REQUIRES(mutex_);
  [[nodiscard]] const Place* place(Mask mask) const;
  [[nodiscard]] Mask entered(Mask from, const Edge& edge) const;

  // Written under the mutex, read without it. A chunk or table is complete before its pointer is
  // stored with release, and is freed only by the destructor.
  std::array<std::atomic<Name*>, kNamesMax / kNamesPerChunk> name_chunks_{};
  std::atomic<const NameTable*> table_{nullptr};
  std::array<std::atomic<Place*>, kPlacesMax / kPlacesPerChunk> place_chunks_{};

  std::atomic<bool> data_full_{false};  // Whether kDataNamesMax is reached.

  ObjectDebugging debugging_;

  mutable Mutex mutex_;
  std::size_t name_count_ GUARDED_BY(mutex_) = 0;
  std::size_t place_count_ GUARDED_BY(mutex_) = 2;  // The ids of kFullMask and kNothingMask.
  std::map<std::string, Mask> projections_ GUARDED_BY(mutex_);  // Keyed by their sorted paths.
  // Owners of what the pointers above lead to.
  std::vector<std::unique_ptr<Name[]>> owned_names_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<NameTable>> owned_tables_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Place[]>> owned_places_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Edge[]>> owned_edges_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<char[]>> owned_text_ GUARDED_BY(mutex_);
};

}  // namespace davit::host

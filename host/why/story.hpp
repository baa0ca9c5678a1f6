/// The records of the journal that concern one object and what belongs to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/journal/work_record.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// All records of one controller. They are read several times, one after the other, because all of
/// them at once would take a multiple of the journal's memory.
struct ControllerRecords {
  using Look = std::function<void(const WorkRecord&)>;
  /// Calls `look` with each, in the order of their ends.
  using Each = std::function<void(const Look& look)>;

  std::string controller;
  Each acts;
  Each idle;  ///< Syncs that wrote nothing and did not fail.
};

/// An object of the story.
struct StoryObject {
  JournalObject object;
  std::string kind;         ///< Empty: not known.
  std::size_t depth = 0;    ///< 0: the one that was asked for; 1: what it controls, …
  bool is_deleted = false;  ///< davit deleted it last.
};

/// Why a sync ran that no event woke: an earlier one of its key had put it off.
struct PutOff {
  Time began{};             ///< When the sync before this one began.
  Duration again{0};        ///< The delay that it asked for; 0: a back-off.
  std::vector<Wake> wakes;  ///< The events that woke the first one of the key since then; may be
                            ///< empty.
};

struct StoryEntry {
  std::string controller;
  WorkRecord record;
  std::size_t depth = 0;  ///< That of the object of its key, or of what it wrote.
  std::optional<PutOff> put_off = {};
};

struct Story {
  std::vector<StoryObject> objects;  ///< The one asked for first, then as they were found.
  /// Its controllers by owner references, the next one first. Where davit has not seen the owner
  /// itself, the resource is empty.
  std::vector<StoryObject> owners;
  std::vector<StoryEntry> entries;  ///< Oldest first: syncs that wrote something or failed.
  std::vector<StoryEntry> last;     ///< For each key of these objects its last sync, if it is idle.

  /// A key of a controller that means one of the objects.
  struct Key {
    std::string controller;
    std::string key;
    std::size_t object = 0;  ///< Its place in `objects`.
  };
  std::vector<Key> keys;
};

/// The failures in a row of which the last sync of `key` was one; 0: it did not fail, or not by
/// itself.
[[nodiscard]] std::uint32_t failures_in_a_row(const Story& story, const Story::Key& key);

/// The kind of a resource; empty: not known.
using KindOf = std::function<std::string(const std::string& group, const std::string& resource)>;

/// Collects what was done to `target`, to the objects that it controls (by owner references that
/// davit has seen), and because of either. If davit deleted it, also the changes of its owners,
/// except of their status. Pure.
///
/// A key is opaque to the host. "namespace/name" is assumed to be an object of the resource that
/// the controller's records about such keys name most often, or whose kind begins the controller's
/// name.
[[nodiscard]] Story tell_story(const JournalObject& target, const std::string& kind,
                               const std::vector<ControllerRecords>& records,
                               const KindOf& kind_of);

}  // namespace davit::host

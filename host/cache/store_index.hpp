/// One index of a store: maps values to objects.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/slot_index.hpp"
#include "host/object/object.hpp"

namespace davit::host {

/// Calls `use` for each key of an object; a key may come twice. The views live for the call.
using IndexKeys =
    std::function<void(const ObjectRef& object, const std::function<void(std::string_view)>& use)>;

/// Names of members with a comma cannot be indexed.
inline constexpr char kIndexPathSeparator = ',';

/// The paths of an index, given as one text with commas between them.
[[nodiscard]] std::vector<std::string> index_parts(std::string_view path);
/// The key of an object that has these values at the paths of an index: with one path the value
/// itself, else a text that no other values have.
[[nodiscard]] std::string index_key(std::span<const std::string_view> values);

/// Maps keys to slots of an ObjectTable. Takes about 12 bytes for each object, 16 for each of its
/// further keys, and one text for each key. Ignores empty keys. Not thread-safe; the store guards
/// it.
class StoreIndex {
 public:
  StoreIndex(StoreIndex&&) = default;
  StoreIndex(std::string name, std::string path, IndexKeys keys)
      : name_(std::move(name)), path_(std::move(path)), keys_(std::move(keys)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The declared path; empty for the indexes that every store has.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const IndexKeys& keys() const { return keys_; }

  void insert(std::uint32_t slot, const ObjectRef& object);
  void erase(std::uint32_t slot);
  /// Same as erase() and insert(), but touches nothing if the keys are equal.
  void update(std::uint32_t slot, const ObjectRef& object);

  /// The slots with this key, in no particular order; valid until the next change.
  [[nodiscard]] const std::vector<std::uint32_t>& select(std::string_view key) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = SlotIndex::kNone;
  // One key of one slot: the key, and the slot's position in the key's list.
  struct Entry {
    std::uint32_t key = kNone;
    std::uint32_t place = 0;
  };
  struct Key {
    std::string text;
    std::vector<std::uint32_t> slots;  // Empty: this key is not in use.
  };

  /// The distinct, non-empty keys of an object, in `scratch_`.
  void collect(const ObjectRef& object);
  [[nodiscard]] bool same_keys(std::uint32_t slot);
  [[nodiscard]] std::uint32_t find_key(std::string_view text) const;
  std::uint32_t add_key(std::string_view text);
  void add_entry(std::uint32_t slot, std::uint32_t key);
  void remove_entry(Entry entry);
  Entry& entry_of(std::uint32_t slot, std::uint32_t key);
  /// Calls `use` for each entry of the slot, until it returns that it has seen enough.
  template <typename Use>
  void each_entry(std::uint32_t slot, Use&& use);
  void add_further(std::uint32_t slot, Entry entry);

  std::string name_;
  std::string path_;
  IndexKeys keys_;
  // Entries of slots with several keys, chained.
  struct Further {
    Entry entry;
    std::uint32_t next = kNone;
  };
  std::vector<Entry> first_;           // Index: slot.
  std::vector<std::uint32_t> chains_;  // Index: slot; points into further_. As short as possible.
  std::vector<Further> further_;
  std::uint32_t free_further_ = kNone;  // A chain too.
  std::vector<Key> values_;
  std::vector<std::uint32_t> free_values_;
  SlotIndex by_text_;
  std::vector<std::string> scratch_;
  const std::vector<std::uint32_t> none_;
};

}  // namespace davit::host

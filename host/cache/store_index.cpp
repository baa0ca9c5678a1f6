#include "host/cache/store_index.hpp"

#include <algorithm>
#include <utility>

#include "host/cache/object_table.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {

std::vector<std::string> index_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = path.find(kIndexPathSeparator);
    parts.emplace_back(path.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    path.remove_prefix(comma + 1);
  }
}

std::string index_key(std::span<const std::string_view> values) {
  if (values.size() == 1) return std::string(values.front());
  std::string key;
  for (const std::string_view each : values) {
    key.append(std::to_string(each.size())).append(":").append(each);
  }
  return key;
}
namespace {

std::uint32_t hash_text(std::string_view text) {
  return static_cast<std::uint32_t>(hash_name({}, text));
}

}  // namespace

void StoreIndex::insert(std::uint32_t slot, const ObjectRef& object) {
  collect(object);
  while (first_.size() <= slot) {
    reserve_for_one_more(first_);
    first_.emplace_back();
  }
  for (const std::string& text : scratch_) {
    const std::uint32_t known = find_key(text);
    add_entry(slot, known == kNone ? add_key(text) : known);
  }
}

template <typename Use>
void StoreIndex::each_entry(std::uint32_t slot, Use&& use) {
  if (first_[slot].key == kNone || !use(first_[slot]) || slot >= chains_.size()) return;
  for (std::uint32_t at = chains_[slot]; at != kNone; at = further_[at].next) {
    if (!use(further_[at].entry)) return;
  }
}

void StoreIndex::erase(std::uint32_t slot) {
  each_entry(slot, [this](Entry entry) {
    remove_entry(entry);
    return true;
  });
  first_[slot] = Entry{};
  if (slot >= chains_.size()) return;
  while (chains_[slot] != kNone) {
    const std::uint32_t freed = chains_[slot];
    chains_[slot] = std::exchange(further_[freed], {{}, free_further_}).next;
    free_further_ = freed;
  }
}

void StoreIndex::update(std::uint32_t slot, const ObjectRef& object) {
  collect(object);
  if (same_keys(slot)) return;
  erase(slot);
  insert(slot, object);
}

const std::vector<std::uint32_t>& StoreIndex::select(std::string_view key) const {
  const std::uint32_t found = find_key(key);
  return found == kNone ? none_ : values_[found].slots;
}

std::size_t StoreIndex::bytes() const {
  std::size_t sum = first_.capacity() * sizeof(Entry) + values_.capacity() * sizeof(Key) +
                    free_values_.capacity() * sizeof(std::uint32_t) + by_text_.bytes();
  for (const Key& key : values_) {
    sum += key.slots.capacity() * sizeof(std::uint32_t);
    if (key.text.capacity() > std::string().capacity()) sum += key.text.capacity() + 1;
  }
  return sum + chains_.capacity() * sizeof(std::uint32_t) + further_.capacity() * sizeof(Further);
}

void StoreIndex::collect(const ObjectRef& object) {
  scratch_.clear();
  keys_(object, [this](std::string_view text) {
    if (text.empty()) return;
    if (std::find(scratch_.begin(), scratch_.end(), text) != scratch_.end()) return;
    scratch_.emplace_back(text);
  });
}

bool StoreIndex::same_keys(std::uint32_t slot) {
  std::size_t wanted = 0;
  bool same = true;
  each_entry(slot, [&](Entry entry) {
    ++wanted;
    same = std::find(scratch_.begin(), scratch_.end(), values_[entry.key].text) != scratch_.end();
    return same;
  });
  return same && wanted == scratch_.size();
}

std::uint32_t StoreIndex::find_key(std::string_view text) const {
  return by_text_.find(hash_text(text),
                       [&](std::uint32_t key) { return values_[key].text == text; });
}

std::uint32_t StoreIndex::add_key(std::string_view text) {
  auto key = static_cast<std::uint32_t>(values_.size());
  if (free_values_.empty()) {
    reserve_for_one_more(values_);
    values_.emplace_back();
  } else {
    key = free_values_.back();
    free_values_.pop_back();
  }
  values_[key].text = std::string(text);
  by_text_.insert(hash_text(text), key);
  return key;
}

void StoreIndex::add_entry(std::uint32_t slot, std::uint32_t key) {
  std::vector<std::uint32_t>& slots = values_[key].slots;
  const Entry entry{key, static_cast<std::uint32_t>(slots.size())};
  reserve_for_one_more(slots);
  slots.push_back(slot);
  if (first_[slot].key == kNone) {
    first_[slot] = entry;
  } else {
    add_further(slot, entry);
  }
}

void StoreIndex::add_further(std::uint32_t slot, Entry entry) {
  while (chains_.size() <= slot) {
    reserve_for_one_more(chains_);
    chains_.push_back(kNone);
  }
  std::uint32_t place = free_further_;
  if (place == kNone) {
    place = static_cast<std::uint32_t>(further_.size());
    reserve_for_one_more(further_);
    further_.emplace_back();
  } else {
    free_further_ = further_[place].next;
  }
  further_[place] = {entry, std::exchange(chains_[slot], place)};
}

void StoreIndex::remove_entry(Entry entry) {
  Key& key = values_[entry.key];
  const std::uint32_t last = key.slots.back();
  if (entry.place + 1 != key.slots.size()) {
    key.slots[entry.place] = last;
    entry_of(last, entry.key).place = entry.place;
  }
  key.slots.pop_back();
  if (!key.slots.empty()) return;
  by_text_.erase(hash_text(key.text), entry.key);
  key = Key{};
  free_values_.push_back(entry.key);
}

StoreIndex::Entry& StoreIndex::entry_of(std::uint32_t slot, std::uint32_t key) {
  Entry* found = nullptr;
  each_entry(slot, [&](Entry& entry) {
    if (entry.key == key) found = &entry;
    return found == nullptr;
  });
  DAVIT_ASSERT(found != nullptr);  // A slot in a key's list has an entry for that key.
  return *found;
}

}  // namespace davit::host

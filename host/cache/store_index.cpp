#include "host/cache/store_index.hpp"

#include <algorithm>

#include "host/base/assert.hpp"
#include "host/cache/object_table.hpp"

namespace davit::host {
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

void StoreIndex::erase(std::uint32_t slot) {
  if (const auto it = further_.find(slot); it != further_.end()) {
    for (const Entry& entry : it->second) remove_entry(entry);
    further_.erase(it);
  }
  if (first_[slot].key != kNone) remove_entry(first_[slot]);
  first_[slot] = Entry{};
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
  for (const auto& [slot, entries] : further_) sum += 48 + entries.capacity() * sizeof(Entry);
  return sum;
}

void StoreIndex::collect(const ObjectRef& object) {
  scratch_.clear();
  keys_(object, [this](std::string_view text) {
    if (text.empty()) return;
    if (std::find(scratch_.begin(), scratch_.end(), text) != scratch_.end()) return;
    scratch_.emplace_back(text);
  });
}

bool StoreIndex::same_keys(std::uint32_t slot) const {
  const auto further = further_.find(slot);
  const std::size_t many = further == further_.end() ? 0 : further->second.size();
  const std::size_t count = (first_[slot].key == kNone ? 0 : 1) + many;
  if (count != scratch_.size()) return false;
  const auto wanted = [this](const Entry& entry) {
    return std::find(scratch_.begin(), scratch_.end(), values_[entry.key].text) != scratch_.end();
  };
  if (count > 0 && !wanted(first_[slot])) return false;
  return many == 0 || std::all_of(further->second.begin(), further->second.end(), wanted);
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
    further_[slot].push_back(entry);
  }
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
  if (first_[slot].key == key) return first_[slot];
  const auto further = further_.find(slot);
  DAVIT_ASSERT(further != further_.end());
  for (Entry& entry : further->second) {
    if (entry.key == key) return entry;
  }
  DAVIT_ASSERT(false && "a slot in a key's list has an entry for that key");
  return first_[slot];
}

}  // namespace davit::host

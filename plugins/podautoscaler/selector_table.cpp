#include "plugins/podautoscaler/selector_table.hpp"

#include <algorithm>
#include <utility>

namespace davit::podautoscaler {

bool SelectorTable::add(const Key& key) {
  const std::lock_guard lock(mutex_);
  return entries_.try_emplace(key).second;
}

SelectorTable::Place SelectorTable::place_of(const Key& key, const Selector& selector) {
  const auto label = selector.equality();
  if (!label) return {key.ns, "", ""};
  return {key.ns, std::string(label->first), std::string(label->second)};
}

void SelectorTable::unlist(const Key& key, const Entry& entry) {
  if (entry.selector == nullptr) return;
  const auto found = names_.find(place_of(key, *entry.selector));
  found->second.erase(key.name);
  if (found->second.empty()) names_.erase(found);
}

void SelectorTable::remove(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  unlist(key, found->second);
  entries_.erase(found);
}

Status SelectorTable::set(const Key& key, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return {};
    if (found->second.selector != nullptr && found->second.text == text) return {};
  }
  Result<Selector> selector = Selector::parse_text(text);
  if (!selector) return selector.error();
  const std::lock_guard lock(mutex_);
  // It may have been removed meanwhile.
  if (const auto found = entries_.find(key); found != entries_.end()) {
    unlist(key, found->second);
    found->second = {text, std::make_shared<const Selector>(std::move(*selector))};
    names_[place_of(key, *found->second.selector)].insert(key.name);
  }
  return {};
}

std::vector<std::string> SelectorTable::select(std::string_view ns,
                                               std::span<const Value> labels) const {
  std::set<Place> places = {{std::string(ns), "", ""}};
  for (const Value each : labels) {
    for (const Member& label : each.members()) {
      places.emplace(ns, label.key, label.value.string());
    }
  }
  std::map<std::string, std::shared_ptr<const Selector>> candidates;
  {
    const std::lock_guard lock(mutex_);
    for (const Place& place : places) {
      const auto found = names_.find(place);
      if (found == names_.end()) continue;
      for (const std::string& name : found->second) {
        candidates.emplace(name, entries_.at(Key{std::string(ns), name}).selector);
      }
    }
  }
  std::vector<std::string> out;
  for (const auto& [name, selector] : candidates) {
    const auto selects = [&chosen = *selector](Value each) { return chosen.matches(each); };
    if (std::any_of(labels.begin(), labels.end(), selects)) out.push_back(name);
  }
  return out;
}

std::size_t SelectorTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void SelectorTable::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_object();
  for (const auto& [key, entry] : entries_) {
    if (entry.selector != nullptr) out.member(key.text(), entry.text);
  }
  out.end_object();
}

Status SelectorTable::read(Value texts) {
  if (texts.kind() != Kind::kObject) {
    return {Code::kInvalid, "the state has no selectors of autoscalers"};
  }
  for (const Member& each : texts.members()) {
    if (Status s = set(Key::parse(each.key), std::string(each.value.string())); !s.ok()) return s;
  }
  return {};
}

}  // namespace davit::podautoscaler

#include "plugins/cloud/service_memory.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugins/cloud/service_rules.hpp"

namespace davit::cloud {
namespace {

/// Two writers of one status may not keep each other busy.
constexpr Duration kRepairPeriod = std::chrono::seconds(30);

}  // namespace

const ServiceMemory::Entry* ServiceMemory::find(const Key& key) const {
  const auto found = entries_.find(key.text());
  return found == entries_.end() ? nullptr : found->second.get();
}

std::optional<Service> ServiceMemory::known(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(key);
  return entry == nullptr ? std::nullopt : std::optional(Service(entry->object.get()));
}

void ServiceMemory::remember(const Key& key, const Service& service) {
  Retained object(service.value());
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Entry>& entry = entries_[key.text()];
  if (entry == nullptr || entry->uid != service.uid()) entry = std::make_unique<Entry>();
  entry->object = std::move(object);
  entry->uid = service.uid();
  entry->wants = wants_load_balancer(service, classes_);
}

void ServiceMemory::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  entries_.erase(key.text());
}

bool ServiceMemory::is_known(const Key& key) const {
  const std::lock_guard lock(mutex_);
  return find(key) != nullptr;
}

std::size_t ServiceMemory::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void ServiceMemory::set_nodes(const Key& key, NodeSet nodes) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(key.text()); found != entries_.end()) {
    found->second->nodes = std::move(nodes);
  }
}

bool ServiceMemory::has_other_nodes(const Key& key, const NodeSet& nodes) const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(key);
  return entry != nullptr && entry->wants && entry->nodes != nodes;
}

std::vector<Key> ServiceMemory::stale(const NodeSet& nodes) const {
  std::vector<Key> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    if (entry->wants && entry->nodes != nodes) out.push_back(Key::parse(key));
  }
  return out;
}

void ServiceMemory::expect_ingress(const Key& key, const std::string& ingress,
                                   std::string_view present) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.text());
  if (found == entries_.end()) return;
  Entry& entry = *found->second;
  entry.is_seen = present == ingress || (entry.is_seen && entry.ingress == ingress);
  entry.ingress = ingress;
}

void ServiceMemory::expect_any_ingress(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.text());
  if (found == entries_.end()) return;
  found->second->is_seen = false;
  found->second->ingress.reset();
}

std::optional<Time> ServiceMemory::foreign_ingress(const Key& key, const std::string& ingress,
                                                   Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.text());
  if (found == entries_.end() || !found->second->ingress) return std::nullopt;
  Entry& entry = *found->second;
  if (entry.ingress == ingress) {
    entry.is_seen = true;
    return std::nullopt;
  }
  if (!entry.is_seen) return std::nullopt;
  // One that is due later stands for all that come until then.
  if (!entry.repaired || *entry.repaired <= now) {
    entry.repaired = entry.repaired ? std::max(now, *entry.repaired + kRepairPeriod) : now;
  }
  return entry.repaired;
}

}  // namespace davit::cloud

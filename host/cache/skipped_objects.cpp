#include "host/cache/skipped_objects.hpp"

#include <utility>

namespace davit::host {
namespace {

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns).append("/").append(name);
}

/// Objects without a name have one entry for each error, because nothing else distinguishes
/// them.
std::string key_of(const SkippedObject& object) {
  if (object.identity.name.empty()) return "\n" + object.why;
  return key_of(object.identity.ns, object.identity.name);
}

bool same_state(const SkippedObject& a, const SkippedObject& b) {
  return a.identity.uid == b.identity.uid &&
         a.identity.resource_version == b.identity.resource_version && a.reason == b.reason;
}

}  // namespace

std::string_view label_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::kTooLarge:
      return "too_large";
    case SkipReason::kTooDeep:
      return "too_deep";
    case SkipReason::kEncoding:
      return "invalid_utf8";
    case SkipReason::kWrongType:
      return "wrong_type";
    case SkipReason::kMalformed:
      break;
  }
  return "malformed";
}

SkipReason reason_of(ParseFault fault) {
  switch (fault) {
    case ParseFault::kNone:
      return SkipReason::kWrongType;
    case ParseFault::kTooLarge:
      return SkipReason::kTooLarge;
    case ParseFault::kTooDeep:
      return SkipReason::kTooDeep;
    case ParseFault::kEncoding:
      return SkipReason::kEncoding;
    case ParseFault::kMalformed:
    case ParseFault::kUnknown:  // Read again as JSON.
      break;
  }
  return SkipReason::kMalformed;
}

bool same_uid(std::string_view a, std::string_view b) { return a.empty() || b.empty() || a == b; }

void SkippedObjects::add(SkippedObject object) {
  Entry& entry = entries_[key_of(object)];
  entry.is_unreported = entry.is_unreported || !same_state(entry.object, object);
  entry.object = std::move(object);
}

void SkippedObjects::erase(std::string_view ns, std::string_view name) {
  if (entries_.empty()) return;
  entries_.erase(key_of(ns, name));
}

bool SkippedObjects::has(std::string_view ns, std::string_view name, std::string_view uid) const {
  const auto found = entries_.find(key_of(ns, name));
  return found != entries_.end() && same_uid(found->second.object.identity.uid, uid);
}

void SkippedObjects::keep(std::string_view ns, std::string_view name) {
  const auto found = entries_.find(key_of(ns, name));
  if (found != entries_.end()) found->second.object.is_kept = true;
}

void SkippedObjects::set_kind(std::string_view api_version, std::string_view kind) {
  for (auto& [key, entry] : entries_) {
    ObjectIdentity& identity = entry.object.identity;
    if (identity.api_version.empty()) identity.api_version = api_version;
    if (identity.kind.empty()) identity.kind = kind;
  }
}

void SkippedObjects::replace(SkippedObjects next) {
  for (auto& [key, entry] : next.entries_) {
    const auto before = entries_.find(key);
    if (before == entries_.end() || !same_state(before->second.object, entry.object)) continue;
    entry.is_unreported = before->second.is_unreported;
  }
  entries_ = std::move(next.entries_);
}

std::vector<SkippedObject> SkippedObjects::list() const {
  std::vector<SkippedObject> all;
  for (const auto& [key, entry] : entries_) all.push_back(entry.object);
  return all;
}

std::vector<SkippedObject> SkippedObjects::take_unreported() {
  std::vector<SkippedObject> unreported;
  for (auto& [key, entry] : entries_) {
    if (std::exchange(entry.is_unreported, false)) unreported.push_back(entry.object);
  }
  return unreported;
}

const SkippedObject* SkippedObjects::lacking(std::string_view owner_uid) const {
  for (const auto& [key, entry] : entries_) {
    const SkippedObject& object = entry.object;
    if (!object.is_kept && object.identity.controller_uid == owner_uid) return &object;
  }
  return nullptr;
}

}  // namespace davit::host

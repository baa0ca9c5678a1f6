#include "plugins/volumebinder/volume_index.hpp"

#include <davit/mutant.hpp>
#include <utility>

namespace davit::volumebinder {

Wanted::Wanted(const volumes::Claim& claim)
    : uid(claim.uid()),
      storage_class(volumes::class_of(claim)),
      mode(volumes::mode_of(claim)),
      attributes_class(volumes::attributes_class_of(claim)),
      modes(volumes::AccessModes::of(claim)),
      size(volumes::request_of(claim)) {}

bool VolumeIndex::put(const volumes::Volume& volume) {
  const std::string name(volume.name());
  Entry entry;
  if (const Value reference = volume.claim_ref(); reference.kind() == Kind::kObject) {
    entry.claim = Key{std::string(reference[&Names::ns].string()),
                      std::string(reference[&Names::name].string())}
                      .text();
  } else if (const std::optional<Quantity> size = volumes::capacity_of(volume);
             size && volume.phase() == "Available" && !volume.is_being_deleted()) {
    entry.group = Group(volumes::class_of(volume), volumes::mode_of(volume),
                        volumes::attributes_class_of(volume));
    entry.candidate = {volumes::AccessModes::of(volume), *size, name};
  }
  const std::string uid(volume.claim_ref()[&Names::uid].string());
  const std::lock_guard lock(mutex_);
  remove(name);
  bool is_given = false;
  if (const auto taken = taken_.find(name); taken != taken_.end() && !entry.group) {
    is_given = !uid.empty() && taken->second.claim_uid == uid;
    taken_.erase(taken);
  }
  if (entry.group) free_[*entry.group][entry.candidate.modes].insert(entry.candidate);
  if (!entry.claim.empty()) by_claim_[entry.claim].insert(name);
  entries_[name] = std::move(entry);
  return is_given;
}

void VolumeIndex::erase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  remove(std::string(name));
  taken_.erase(std::string(name));
}

void VolumeIndex::remove(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  if (entry.group) {
    const auto group = free_.find(*entry.group);
    const auto bucket = group->second.find(entry.candidate.modes);
    bucket->second.erase(entry.candidate);
    if (bucket->second.empty()) group->second.erase(bucket);
    if (group->second.empty()) free_.erase(group);
  }
  if (const auto names = by_claim_.find(entry.claim); names != by_claim_.end()) {
    names->second.erase(name);
    if (names->second.empty()) by_claim_.erase(names);
  }
  entries_.erase(found);
}

std::optional<Candidate> VolumeIndex::next(const Wanted& wanted,
                                           const std::optional<Candidate>& last) const {
  const std::lock_guard lock(mutex_);
  const auto group = free_.find(Group(wanted.storage_class, wanted.mode, wanted.attributes_class));
  if (group == free_.end()) return std::nullopt;
  for (const auto& [modes, bucket] : group->second) {
    if (!modes.contain(wanted.modes) || (last && modes < last->modes)) continue;
    const bool is_same = last && modes == last->modes;
    auto each =
        is_same ? bucket.upper_bound(*last) : bucket.lower_bound(Candidate{modes, wanted.size, {}});
    while (each != bucket.end() && is_of_another(each->name, wanted.uid)) ++each;
    if (each != bucket.end()) return *each;
  }
  return std::nullopt;
}

std::vector<std::string> VolumeIndex::of_claim(const Key& claim) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_claim_.find(claim.text());
  if (found == by_claim_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

bool VolumeIndex::is_of_another(const std::string& name, std::string_view claim_uid) const {
  const auto found = taken_.find(name);
  if (found == taken_.end()) return false;
  return found->second.claim_uid != claim_uid || mutant("reservation-without-owner");
}

bool VolumeIndex::take(std::string_view name, std::string_view claim_uid) {
  const std::string key(name);
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(key);
  const bool is_free = entry != entries_.end() && entry->second.group.has_value();
  if (!is_free || is_of_another(key, claim_uid)) return false;
  taken_[key] = {std::string(claim_uid), round_};
  return true;
}

bool VolumeIndex::is_reserved(std::string_view name, std::string_view claim_uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(std::string(name));
  return found != taken_.end() && found->second.claim_uid == claim_uid;
}

void VolumeIndex::given(std::string_view name, std::string_view claim_uid) {
  const std::string key(name);
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(key);
  const bool is_free = entry != entries_.end() && entry->second.group.has_value();
  if (is_free) taken_[key] = {std::string(claim_uid), round_};
}

void VolumeIndex::give_back(std::string_view name, std::string_view claim_uid) {
  const std::string key(name);
  const std::lock_guard lock(mutex_);
  if (!is_of_another(key, claim_uid)) taken_.erase(key);
}

void VolumeIndex::next_round() {
  const std::lock_guard lock(mutex_);
  std::erase_if(taken_, [this](const auto& each) { return each.second.round < round_; });
  ++round_;
}

}  // namespace davit::volumebinder

#include "sandbox/rest/resources.hpp"

#include <algorithm>

namespace davit::sandbox {

ResourceSet::ResourceSet(std::vector<ResourcePtr> all) : all_(std::move(all)) {
  for (const ResourcePtr& each : all_) {
    by_name_.emplace(std::tuple(each->group, each->version, each->name), each);
    by_collection_[each->collection].push_back(each);
  }
}

ResourcePtr ResourceSet::find(const std::string& group, const std::string& version,
                              const std::string& name) const {
  const auto found = by_name_.find(std::tie(group, version, name));
  return found == by_name_.end() ? nullptr : found->second;
}

ResourcePtr ResourceSet::find_kind(std::string_view api_version, std::string_view kind) const {
  const auto found = std::ranges::find_if(all_, [&](const ResourcePtr& each) {
    return each->kind == kind && each->api_version() == api_version;
  });
  return found == all_.end() ? nullptr : *found;
}

bool ResourceSet::serves(std::string_view group, std::string_view version) const {
  return std::ranges::any_of(all_, [&](const ResourcePtr& each) {
    return each->group == group && each->version == version;
  });
}

std::span<const ResourcePtr> ResourceSet::sharing(const Collection& collection) const {
  const auto found = by_collection_.find(collection);
  if (found == by_collection_.end()) return {};
  return found->second;
}

Resources::Resources(std::vector<ResourcePtr> builtin)
    : set_(std::make_shared<const ResourceSet>(std::move(builtin))) {}

std::shared_ptr<const ResourceSet> Resources::now() const {
  MutexLock lock(mutex_);
  return set_;
}

void Resources::replace(const Collection& collection, std::vector<ResourcePtr> versions) {
  MutexLock lock(mutex_);
  std::vector<ResourcePtr> all = set_->all();
  std::erase_if(all, [&](const ResourcePtr& each) { return each->collection == collection; });
  all.insert(all.end(), versions.begin(), versions.end());
  set_ = std::make_shared<const ResourceSet>(std::move(all));
}

}  // namespace davit::sandbox

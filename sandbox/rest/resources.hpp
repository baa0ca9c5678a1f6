/// The table of what is served. Custom resources come and go at run time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// One state of the table. Immutable.
class ResourceSet {
 public:
  explicit ResourceSet(std::vector<ResourcePtr> all);

  /// In the order of discovery.
  [[nodiscard]] const std::vector<ResourcePtr>& all() const { return all_; }
  /// Null when it is not served.
  [[nodiscard]] ResourcePtr find(const std::string& group, const std::string& version,
                                 const std::string& name) const;
  /// The resource of that Kind; null when there is none.
  [[nodiscard]] ResourcePtr find_kind(std::string_view api_version, std::string_view kind) const;
  /// Whether anything of that group version is served.
  [[nodiscard]] bool serves(std::string_view group, std::string_view version) const;
  /// The resources that share `collection`; the first one's form is the stored one.
  [[nodiscard]] std::span<const ResourcePtr> sharing(const Collection& collection) const;

 private:
  std::vector<ResourcePtr> all_;
  std::map<std::tuple<std::string, std::string, std::string>, ResourcePtr, std::less<>> by_name_;
  std::map<Collection, std::vector<ResourcePtr>> by_collection_;
};

/// Thread-safe; a reader keeps the state that it took.
class Resources {
 public:
  explicit Resources(std::vector<ResourcePtr> builtin);

  [[nodiscard]] std::shared_ptr<const ResourceSet> now() const EXCLUDES(mutex_);
  /// Serves `versions` as the custom resources kept in `collection`, and nothing else from it. An
  /// empty list ends them.
  void replace(const Collection& collection, std::vector<ResourcePtr> versions) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const ResourceSet> set_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox

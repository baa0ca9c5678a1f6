/// VersionChanges: the differences between two objects, in each version that managers use.
#pragma once

#include <davit/result.hpp>
#include <map>
#include <string>

#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

/// `object` in the version `api_version`, if `manager` distinguishes versions; else as it is, with
/// `schema`, which is that of the manager's version.
[[nodiscard]] Result<VersionedForm> in_version(const Json& object, const std::string& api_version,
                                               const Message* schema, const FieldManager& manager);

/// Everything that it is made of must outlive it. `before` may be null: the object is new.
/// k8s: Updater.update of structured-merge-diff/merge.
class VersionChanges {
 public:
  VersionChanges(const Json& before, const Json& after, const Message* schema,
                 const FieldManager& manager);

  /// In the version of the manager.
  [[nodiscard]] const Comparison& own() const { return own_; }
  /// Null: there is no such version. Lives as long as this.
  [[nodiscard]] Result<const Comparison*> in(const std::string& api_version);

 private:
  const Json& before_;
  const Json& after_;
  const Message* schema_;
  const FieldManager& manager_;
  const Comparison own_;
  std::map<std::string, Comparison> others_;
};

}  // namespace davit

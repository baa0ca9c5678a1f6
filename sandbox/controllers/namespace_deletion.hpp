/// Empties namespaces that are being deleted, pods before everything that they may need to end
/// well, and finishes their deletion when nothing is left.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/controllers/controller.hpp"
#include "sandbox/controllers/namespace_plan.hpp"

namespace davit::sandbox {

class NamespaceDeletion final : public Controller {
 public:
  explicit NamespaceDeletion(const ControllerParts& parts)
      : parts_(parts), writer_(parts_.server, parts_.clock, "namespace-controller") {}

  void on_relist(const Collection& collection) override;
  void observe(const Collection& collection, const Change& change) override;
  [[nodiscard]] Time act(Time now) override;

 private:
  /// False: try again later.
  bool sync(const std::string& name);
  /// Deletes everything that is not being deleted yet. False: some of it refused.
  bool empty(const Version& ns);
  /// The same for one resource.
  bool empty(const Version& ns, const Resource& resource);
  [[nodiscard]] std::vector<NamespaceContent> content_of(const std::string& name) const;
  bool report(const Resource& resource, const Version& ns,
              const std::vector<NamespaceContent>& content);
  bool finalize(const Resource& resource, const std::string& name);
  /// One resource for each collection of namespaced objects.
  [[nodiscard]] std::vector<ResourcePtr> namespaced() const;

  const ControllerParts parts_;
  ApiWriter writer_;
  std::set<std::string> terminating_;
  std::set<std::string> queue_;  // A subset of terminating_.
  std::map<std::string, Time> retries_;
};

}  // namespace davit::sandbox

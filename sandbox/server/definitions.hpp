/// The life of CustomResourceDefinitions: names accepted, versions served, objects removed.
#pragma once

#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/kind_gates.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// resources_under(`gates`), with their rules under these gates and families, and with the rules of
/// definitions, which belong to a layer above the kinds.
[[nodiscard]] std::vector<ResourcePtr> served_at_first(const KindGates& gates,
                                                       const ServiceFamilies& families);

/// Follows the writes of definitions and of custom resources. Everything happens within the write
/// that causes it, so that a client sees its own definition established with its next request.
/// Thread-safe. All arguments are borrowed.
class Definitions final : public WriteObserver {
 public:
  Definitions(Store& store, Clock& clock, Random& random, Resources& resources,
              Admission& admission, ConversionHooks hooks);

  /// Serves what the store holds already. Before the first request.
  void restore();

  void stored(const Resource& resource, const VersionPtr& version) override;
  void removed(const Resource& resource, const VersionPtr& version) override;

 private:
  /// Updates the status of one definition, then the served resources.
  void update_status(const std::string& name) EXCLUDES(mutex_);
  /// Keeps the APIServices of the definition's group.
  void keep_services(const Json& definition);
  /// The dependencies of writes that follow from others.
  [[nodiscard]] RestParts parts();
  void serve(const Json& definition) REQUIRES(mutex_);
  void remove_objects(const Json& definition);
  /// Finishes deleting a CRD that has no objects left.
  void release(const std::string& name);
  [[nodiscard]] std::vector<Json> neighbours(const std::string& group) const;

  Store& store_;
  Clock& clock_;
  Random& random_;
  Resources& resources_;
  Admission& admission_;
  const ConversionHooks hooks_;
  Mutex mutex_;  // One change of the table at a time, in the order of the definitions.
};

}  // namespace davit::sandbox

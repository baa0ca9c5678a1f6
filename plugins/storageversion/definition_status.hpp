/// The traces of a migration in the status of a CustomResourceDefinition. Pure. Rule:
/// docs/spec/cluster-controllers.md, D4.
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::storageversion {

/// CustomResourceDefinition.
class Definition : public ObjectView {
 public:
  static constexpr Resource kResource{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                      "CustomResourceDefinition"};
  using ObjectView::ObjectView;

  /// The version in which the server stores objects now.
  [[nodiscard]] std::string_view storage_version() const {
    for (const Value each : spec()["versions"].elements()) {
      if (each["storage"].is_true()) return each[&Names::name].string();
    }
    return {};
  }
};

/// A step of a migration that its definition shows.
enum class MigrationStep : std::uint8_t { kStarts, kSucceeds, kFails };

/// The configuration to apply to the status; nothing if the definition shows the end of the
/// migration already, or another migration. It has the stored versions always: a server-side apply
/// removes what its manager owns and leaves out. `migration`: its name. Rule:
/// docs/spec/cluster-controllers.md, X6.
[[nodiscard]] std::optional<std::string> definition_status(const Definition& definition,
                                                           MigrationStep step,
                                                           std::string_view migration,
                                                           WallTime now);

}  // namespace davit::storageversion

/// A CustomResourceDefinition for tests and trials of controllers.
#pragma once

#include <string>

namespace davit::sandbox {

/// One version with a status subresource, whose objects may have any content.
struct OpenDefinition {
  enum class Scope { kNamespaced, kCluster };

  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  Scope scope = Scope::kNamespaced;
};

/// The CustomResourceDefinition as JSON.
[[nodiscard]] std::string definition_text(const OpenDefinition& definition);

}  // namespace davit::sandbox

/// The input of `davit codegen`: kinds with their schemas, from CustomResourceDefinitions or from
/// an OpenAPI v3 document.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/kube/yaml.hpp"

namespace davit::host::codegen {

/// One served version of a kind.
struct Definition {
  std::string file;
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  bool has_status_subresource = false;
  std::shared_ptr<const YamlNode> document;  ///< Owns what the pointers below refer to.
  const YamlNode* schema = nullptr;
  const YamlNode* components = nullptr;  ///< The targets of $ref; null: no references.
};

/// The kinds of a file, or what is wrong with it.
struct Definitions {
  std::vector<Definition> kinds;
  std::vector<Mistake> mistakes;
};

/// Reads YAML or JSON with one or many documents. Documents of other kinds are skipped; a file
/// without any CustomResourceDefinition is a mistake.
[[nodiscard]] Definitions read_crds(const std::string& text, const std::string& file);

/// Reads an OpenAPI v3 document. `kinds` selects by "VERSION/KIND" or "GROUP/VERSION/KIND"; empty:
/// all kinds with a path. A kind with a status counts as one with a status subresource.
[[nodiscard]] Definitions read_openapi(const std::string& text, const std::string& file,
                                       const std::vector<std::string>& kinds);

}  // namespace davit::host::codegen

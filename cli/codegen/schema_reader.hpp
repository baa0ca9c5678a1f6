/// Makes types of schemas.
#pragma once

#include <string>
#include <vector>

#include "cli/codegen/definition.hpp"
#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

struct Modules {
  std::vector<Module> modules;  ///< Sorted by group and version.
  std::vector<Mistake> mistakes;
};

/// Paths in the syntax of a note's projection ("spec.template"). One that no kind has is a mistake.
struct Selection {
  std::vector<std::string> opaque = {};  ///< Stay untyped.
  std::vector<std::string> only = {};    ///< Other fields are left out; empty: none is.
};

/// The same input gives the same output.
[[nodiscard]] Modules read_schemas(std::vector<Definition> definitions, const Selection& selection);

}  // namespace davit::host::codegen

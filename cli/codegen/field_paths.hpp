/// The field paths of a kind, for the projection of a watch.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

/// One path for each field without parts of its own ("spec.ports[].name"). A map and an object that
/// contains itself are one path. kInvalid if there are more than 10,000: `module` then contains one
/// type in very many places.
[[nodiscard]] Result<std::vector<std::string>> field_paths(const Module& module, std::size_t root);

}  // namespace davit::host::codegen

/// Definitions of custom resources that a plugin watches and its author has not given.
#pragma once

#include <string>

#include "host/loading/note.hpp"

namespace davit::host {

/// A CustomResourceDefinition without a schema, in the watch's version.
[[nodiscard]] std::string open_definition(const DeclaredWatch& watch);
/// A JSON patch of such a definition that adds the watch's version.
[[nodiscard]] std::string version_patch(const DeclaredWatch& watch);

}  // namespace davit::host

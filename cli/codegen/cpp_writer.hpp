/// Writes types as a header of C++.
#pragma once

#include <string>
#include <vector>

#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

struct CppOptions {
  std::string ns;                    ///< Before "::VERSION"; empty: from each group.
  std::vector<std::string> sources;  ///< Names of the files, for the comment at the beginning.
};

/// A header that needs the SDK alone.
[[nodiscard]] std::string write_cpp(const std::vector<Module>& modules, const CppOptions& options);

}  // namespace davit::host::codegen

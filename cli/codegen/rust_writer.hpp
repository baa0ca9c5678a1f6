/// Writes types as a module of Rust.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

struct RustOptions {
  std::string module;                ///< Around the module of the version; empty: each group's.
  std::vector<std::string> sources;  ///< Names of the files, for the comment at the beginning.
};

/// A file that needs the crate davit alone.
[[nodiscard]] std::string write_rust(const std::vector<Module>& modules,
                                     const RustOptions& options);

/// Whether `text` can name a module: an identifier that is not a keyword.
[[nodiscard]] bool is_rust_module(std::string_view text);

}  // namespace davit::host::codegen

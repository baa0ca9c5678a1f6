/// Writes files with secrets.
#pragma once

#include <davit/result.hpp>
#include <string>

namespace davit {

/// Writes `file` in one step, readable by its user only; makes its directory where that is missing.
[[nodiscard]] Status write_private_file(const std::string& file, const std::string& content);

}  // namespace davit

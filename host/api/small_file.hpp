/// Reads a credential or certificate file.
#pragma once

#include <davit/result.hpp>
#include <string>

namespace davit::host {

/// The whole content; kNotFound or kInternal with the system's reason. Refuses files above 4 MiB:
/// no such file is one.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path);

}  // namespace davit::host

/// Reads the output of CMake and Ninja for `davit dev`. Pure.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace davit::host {

/// The part of a build's output for developers: compiler and linker, without Ninja's progress
/// and the commands.
[[nodiscard]] std::vector<std::string> compiler_lines(const std::vector<std::string>& output);

/// The plugin among the lines of `ninja -t targets all`: the only `.so`, or the one whose name
/// without it is `wanted` if that is not empty. Relative to `build`, where Ninja names it so. The
/// error is one line for the user.
[[nodiscard]] Result<std::string> plugin_target(const std::vector<std::string>& targets,
                                                const std::string& wanted,
                                                const std::filesystem::path& build);

/// Whether CMake did not find davit's package.
[[nodiscard]] bool lacks_davit(const std::vector<std::string>& output);

}  // namespace davit::host

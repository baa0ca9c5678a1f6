/// Scripts that complete davit's command line in a shell.
#pragma once

#include <cstdint>
#include <string>

#include "cli/reference/command_text.hpp"

namespace davit::host {

enum class Shell : std::uint8_t { kBash, kZsh, kFish };

/// The script for the commands of `program`: it completes commands, flags and the values of flags
/// that take only certain ones, and leaves everything else to the shell, which offers files.
[[nodiscard]] std::string completion_script(const CommandText& program, Shell shell);

}  // namespace davit::host

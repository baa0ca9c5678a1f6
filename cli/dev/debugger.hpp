/// Helps gdb find a plugin, which davit opens as a private copy that is already unlinked. Pure.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace davit::host {

/// The gdb call that attaches to `process` and loads the symbols of the build that was opened last.
/// `maps` is /proc/PID/maps, `plugin` the file that was built. Empty: the library is not there.
[[nodiscard]] std::string debugger_line(pid_t process, std::string_view maps,
                                        const std::filesystem::path& plugin);

}  // namespace davit::host

/// Opens a plugin in a separate process first. Constructors run before davit can check anything,
/// and the dynamic loader ends a process whose file it cannot read, which must not be the host.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/needed_libraries.hpp"

namespace davit::host {

/// The first argument with which davit opens the files that follow, and does nothing else. No user
/// needs it, so help and manual do not have it.
inline constexpr const char* kTrialArgument = "--open-plugin-for-trial";

/// Has `program`, which must call open_for_trial() for that argument, open the plugin's copy at
/// `copy` after the libraries that it needs. kInvalid: that process ended or hung; kUnavailable: it
/// cannot be started. One line without the plugin's name. Blocks; any thread.
[[nodiscard]] Status try_to_open(const std::filesystem::path& program,
                                 const std::filesystem::path& copy, const NeededLibraries& needed);

/// The other side: opens all `files` in their order, asks the last, a plugin, for its table, reads
/// that, and closes it. Ends the process: with 0 if all of this went well, else with a line on
/// standard error.
[[noreturn]] void open_for_trial(const std::vector<std::string>& files);

}  // namespace davit::host

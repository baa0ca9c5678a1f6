/// The files of an isolated plugin's process, by landlock. Threads inherit the rules, which cannot
/// be taken off.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

namespace davit::host {

/// The version of the kernel's interface, at least 1; 0: it has none, or it is switched off.
[[nodiscard]] unsigned landlock_version();

/// Leaves this process only the reading of `readable`, files and folders with their content; those
/// that do not exist are skipped. Descriptors that are open stay as they are. From version 4 on TCP
/// sockets can neither be bound nor connected, and from version 6 on abstract sockets and other
/// processes cannot be reached. The process must have no_new_privs, and no thread but this one.
/// `version` is at most landlock_version(). kUnavailable: the kernel refuses it.
[[nodiscard]] Status restrict_files(const std::vector<std::string>& readable, unsigned version);

}  // namespace davit::host

/// Writes files in one step: a reader sees the old content or the new, never a part.
///
/// Only a regular file is replaced. A symbolic link stays, and the file that it leads to is
/// replaced. A terminal, a character device such as /dev/null, a FIFO with a reader and an open
/// file that /proc names are written to. Block devices, sockets and directories are refused.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit {

/// The users who may read a file that is written.
enum class Readable {
  kByOwner,  ///< For secrets: mode 0600, and 0700 for a directory that is made for the file.
  kByAll     ///< As far as the umask allows.
};

/// Writes `file`; makes its directory if that is missing. kUnavailable or, for what is refused,
/// kForbidden: one line that names the file.
[[nodiscard]] Status replace_file(const std::string& file, std::string_view content,
                                  Readable readable);

/// The path that `file` leads to through symbolic links, which need not exist. Links count only if
/// they belong to root or to this process's user: the owner of a link decides which file is
/// replaced. kForbidden: another user's link, or a circle of them.
[[nodiscard]] Result<std::string> follow_links(const std::string& file);

/// "a directory", "a FIFO": what a file of this mode (st_mode) is, for messages.
[[nodiscard]] std::string_view kind_of_file(unsigned mode);

}  // namespace davit

/// Whether others could have written a file that we act on.
#pragma once

#include <sys/stat.h>

#include <davit/result.hpp>
#include <filesystem>
#include <string>

#include "lib/base/unique_fd.hpp"

namespace davit {

/// kForbidden, with the remedy in one line, if the file, or a directory or symbolic link in its
/// path, belongs to neither root nor davit's user, or if others may write to it (except to a sticky
/// directory), because a user who can replace the file controls davit. The message does not name
/// the file. `info` is that of the opened file.
[[nodiscard]] Status check_trust(const struct stat& info, const std::filesystem::path& path);
/// The same for the file that is at `path` now.
[[nodiscard]] Status check_trust(const std::filesystem::path& path);

/// The owner alone: the directories on the way are not judged. `what` names the file.
[[nodiscard]] Status check_owner(const struct stat& info, const std::string& what);

/// Opens a file that this program writes for itself: a regular one, which only this user or root
/// can write. `flags` are those of open(2); one that is made has mode 0600. A link in its place is
/// not followed, and a FIFO not waited for. kUnavailable or kForbidden, with the file's name.
[[nodiscard]] Result<UniqueFd> open_own_file(const std::filesystem::path& path, int flags);

/// Whether its group or all users may read the file.
[[nodiscard]] bool is_readable_by_others(const std::filesystem::path& path);

}  // namespace davit

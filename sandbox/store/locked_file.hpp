/// The few system calls of a file that one process owns.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "lib/base/unique_fd.hpp"

namespace davit::sandbox {

/// The error of the last system call: "write: No space left on device". kUnavailable.
[[nodiscard]] Status system_error(std::string_view call);

/// Opens or makes the file at `path` and locks it against other processes until it is closed.
/// kConflict when one has it; kForbidden when it is not a regular file.
[[nodiscard]] Result<UniqueFd> open_locked(const std::string& path);
/// The same for a file that only the holder of another lock touches: a new one in its place.
[[nodiscard]] Result<UniqueFd> create_locked(const std::string& path);

[[nodiscard]] Result<std::string> read_all(int file);
/// Writes all of `bytes` at `offset`.
[[nodiscard]] Status write_at(int file, std::string_view bytes, std::size_t offset);
/// Makes the entries of the directory of `path` durable, such as a rename.
[[nodiscard]] Status sync_directory_of(const std::string& path);

}  // namespace davit::sandbox

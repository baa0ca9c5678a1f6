/// Files in memory that no process can change any more: the kernel refuses it.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A sealed file with this content. `name` shows in /proc only. Programs that are started do not
/// inherit it. kUnavailable: no memory or descriptor is left, or the kernel seals no files.
[[nodiscard]] Result<UniqueFd> make_sealed_file(const std::string& name, std::string_view content);

/// kInvalid if a file can still be written, grow, shrink, or lose that protection.
[[nodiscard]] Status check_sealed(int descriptor);

}  // namespace davit::host

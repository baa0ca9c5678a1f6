/// Core dumps hold what the process has in memory: tokens, keys and Secrets.
#pragma once

#include <davit/result.hpp>

namespace davit::host {

/// From now on the process leaves no core dump, and no other process of its user can attach to it
/// or read its memory (PR_SET_DUMPABLE). Children that call exec() are not concerned.
[[nodiscard]] Status forbid_core_dumps();

}  // namespace davit::host

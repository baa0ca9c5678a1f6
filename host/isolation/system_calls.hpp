/// The system calls of an isolated plugin's process. The filter is inherited by all later threads
/// and cannot be taken off.
#pragma once

#include <davit/result.hpp>

namespace davit::host {

/// Limits this process and all its threads to the calls that a host, glibc and the runtimes of C++,
/// Rust and Go need for computing and for using the descriptors that are open. All that opens a way
/// to other processes, programs or networks fails with EPERM, and what the list does not know with
/// ENOSYS. The process must have no_new_privs. kUnsupported: the kernel has no filters.
[[nodiscard]] Status restrict_system_calls();

}  // namespace davit::host

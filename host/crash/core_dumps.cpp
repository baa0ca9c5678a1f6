#include "host/crash/core_dumps.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace davit::host {

Status forbid_core_dumps() {
#if defined(__SANITIZE_ADDRESS__)
  // LeakSanitizer attaches to the process at its end, which only root could do then.
  if (::geteuid() != 0) return {};
#endif
  if (::prctl(PR_SET_DUMPABLE, 0) == 0) return {};
  return {Code::kUnavailable,
          "cannot forbid core dumps: " + std::generic_category().message(errno)};
}

}  // namespace davit::host

/// The limit of open descriptors.
#pragma once

#include <sys/resource.h>

namespace davit {

/// Raises the process's soft limit to the hard one, as Go's runtime does. Each watch and each
/// connection is a descriptor or three, and the usual limit is for programs with a few.
inline void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace davit

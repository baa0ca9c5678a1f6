/// Writing to a descriptor until all is written.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace davit {

/// Writes all of `text`, in as many pieces as needed and despite signals. False, with errno set:
/// the rest cannot be written. Safe in a signal handler.
inline bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace davit

#include "lib/base/line_pipe.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "lib/base/write_all.hpp"

namespace davit {
namespace {

/// Bounds the memory for a writer that does not stop or never breaks its line.
constexpr std::size_t kTakenMost = std::size_t{1} << 16;

}  // namespace

void LineWriter::say(std::string_view word, std::string_view text) const {
  std::string line = std::string(word) + " " + std::string(text);
  if (line.size() >= PIPE_BUF) line.resize(PIPE_BUF - 1);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  (void)write_all(fd_, line);  // It fails if the reader has gone.
}

std::vector<std::string> LineReader::take(std::chrono::milliseconds limit) {
  std::array<char, 4096> buffer{};
  auto wait = static_cast<int>(limit.count());
  while (!ended_ && rest_.size() < kTakenMost) {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, wait) <= 0) break;
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) rest_.append(buffer.data(), static_cast<std::size_t>(got));
    ended_ = got <= 0;
    wait = 0;
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    lines.push_back(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  const bool is_whole = ended_ || rest_.size() >= kTakenMost;
  if (is_whole && !rest_.empty()) lines.push_back(std::exchange(rest_, {}));
  return lines;
}

}  // namespace davit

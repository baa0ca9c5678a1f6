#include "host/cli/dev/dev_child.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "host/base/write_all.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kTakenMost = std::size_t{1} << 16;

}  // namespace

void LineWriter::say(std::string_view word, std::string_view text) const {
  std::string line = std::string(word) + " " + std::string(text);
  // What a pipe takes in one piece is not mixed with what another thread says.
  if (line.size() >= PIPE_BUF) line.resize(PIPE_BUF - 1);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  (void)write_all(fd_, line);  // It fails when nobody listens any more.
}

std::vector<std::string> LineReader::take(std::chrono::milliseconds limit) {
  std::vector<std::string> lines;
  std::array<char, 4096> buffer{};
  auto wait = static_cast<int>(limit.count());
  for (;;) {
    pollfd ready{fd_, POLLIN, 0};
    if (ended_ || poll(&ready, 1, wait) <= 0) break;
    const ssize_t got = read(fd_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ended_ = true;
      break;
    }
    rest_.append(buffer.data(), static_cast<std::size_t>(got));
    wait = 0;
    if (rest_.size() >= kTakenMost) break;  // Who writes without end is heard in pieces.
  }
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    lines.push_back(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return lines;
}

std::unique_ptr<DevChild> DevChild::start(const Work& work) {
  std::array<int, 2> orders{};
  std::array<int, 2> reports{};
  if (pipe2(orders.data(), O_CLOEXEC) != 0) return nullptr;
  UniqueFd order_in(orders[0]);
  UniqueFd order_out(orders[1]);
  if (pipe2(reports.data(), O_CLOEXEC) != 0) return nullptr;
  UniqueFd report_in(reports[0]);
  UniqueFd report_out(reports[1]);
  const pid_t child = fork();
  if (child < 0) return nullptr;
  if (child == 0) {
    setpgid(0, 0);  // A Ctrl-C is for the parent, which ends its children in order.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    order_out.reset();
    report_in.reset();
    LineReader reader(order_in.get());
    work(reader, LineWriter(report_out.get()));
    _exit(0);
  }
  setpgid(child, child);
  return std::make_unique<DevChild>(child, std::move(order_out), std::move(report_in));
}

DevChild::DevChild(pid_t pid, UniqueFd orders, UniqueFd reports)
    : pid_(pid),
      orders_(std::move(orders)),
      reports_fd_(std::move(reports)),
      reports_(reports_fd_.get()) {}

DevChild::~DevChild() { static_cast<void>(end(std::chrono::milliseconds(0))); }

std::string DevChild::end(std::chrono::milliseconds limit) {
  if (pid_ <= 0) return "";
  orders_.reset();
  const auto give_up = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= give_up) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pid_ = -1;
  if (WIFEXITED(status)) {
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
  }
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return "SIG" + std::string(name == nullptr ? "?" : name);
}

}  // namespace davit::host

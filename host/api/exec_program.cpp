#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "host/api/exec_plugin.hpp"
#include "host/base/unique_fd.hpp"

extern char** environ;

namespace davit::host {
namespace {

constexpr std::size_t kOutputBytesMax = std::size_t{1} << 20;

struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

// Our environment, what the configuration adds, and the plugin's information; later ones win.
std::vector<std::string> environment_for(const ExecConfig& exec, const std::string& info) {
  std::vector<std::string> out;
  const auto put = [&out](std::string entry) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('=') + 1);
    for (std::string& each : out) {
      if (each.compare(0, name.size(), name) == 0) {
        each = std::move(entry);
        return;
      }
    }
    out.push_back(std::move(entry));
  };
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  for (const auto& [name, value] : exec.env) put(name + "=" + value);
  put("KUBERNETES_EXEC_INFO=" + info);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& each : strings) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

// Starts the program; 0 or an errno.
int spawn(const ExecConfig& exec, const std::string& info, const UniqueFd& output, pid_t& pid) {
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, output.get(), STDOUT_FILENO);
  // Sockets of ours that libcurl opened stay with us.
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> args = {exec.command};
  args.insert(args.end(), exec.args.begin(), exec.args.end());
  std::vector<std::string> environment = environment_for(exec, info);
  return posix_spawnp(&pid, exec.command.c_str(), &settings.actions, &settings.attributes,
                      pointers(args).data(), pointers(environment).data());
}

// Waits until `fd` is readable; false when `end` comes first.
bool await_readable(int fd, std::chrono::steady_clock::time_point end) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Reads to the end of the output; false when the time is over or there is too much of it.
bool read_all(int fd, std::string& out, std::chrono::steady_clock::time_point end) {
  char piece[4096];
  while (await_readable(fd, end)) {
    const ssize_t got = read(fd, piece, sizeof piece);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) out.append(piece, static_cast<std::size_t>(got));
    if (out.size() > kOutputBytesMax) return false;
  }
  return false;
}

}  // namespace

ProgramResult run_program(const ExecConfig& exec, const std::string& info,
                          std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {ProgramResult::End::kNotStarted, errno, ""};
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_t pid = 0;
  if (const int error = spawn(exec, info, writing, pid); error != 0) {
    const bool missing = error == ENOENT || error == ENOTDIR;
    return {missing ? ProgramResult::End::kNotFound : ProgramResult::End::kNotStarted, error, ""};
  }
  writing.reset();
  ProgramResult result;
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const bool in_time =
      read_all(reading.get(), result.output, end) && await_readable(process.get(), end);
  if (!in_time) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) result.end = ProgramResult::End::kTimedOut;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace davit::host

#include "lib/base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

extern char** environ;

namespace davit {
namespace {

Status refused(int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return {missing ? Code::kNotFound : Code::kUnavailable, std::generic_category().message(error)};
}

/// Owner of what posix_spawn() reads.
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

std::vector<std::string> environment_of(const ChildProcess::Program& program) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  for (const auto& [name, value] : program.environment) {
    std::erase_if(out, [start = name + "="](const auto& each) { return each.starts_with(start); });
    out.push_back(name + "=" + value);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& each : strings) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

/// Duplicates that no target of dup2() replaces: the descriptors may be among the targets.
std::vector<UniqueFd> out_of_the_way(const std::vector<int>& descriptors) {
  std::vector<UniqueFd> out;
  const int free = STDERR_FILENO + 1 + static_cast<int>(descriptors.size());
  for (const int each : descriptors) out.emplace_back(fcntl(each, F_DUPFD_CLOEXEC, free));
  return out;
}

/// Starts the program; 0 or an errno.
int spawn(const ChildProcess::Program& program, int output, pid_t& pid) {
  using Captured = ChildProcess::Captured;
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (program.captured != Captured::kNothing) {
    posix_spawn_file_actions_adddup2(&settings.actions, output, STDOUT_FILENO);
  }
  if (program.captured == Captured::kOutputAndErrors) {
    posix_spawn_file_actions_adddup2(&settings.actions, output, STDERR_FILENO);
  }
  int next = STDERR_FILENO + 1;
  const std::vector<UniqueFd> passed = out_of_the_way(program.passed);
  for (const UniqueFd& each : passed) {
    if (!each.valid()) return EMFILE;
    posix_spawn_file_actions_adddup2(&settings.actions, each.get(), next++);
  }
  // Libraries open sockets that would stay open in the program.
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, next);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  const int group = program.group == ChildProcess::Group::kOwn ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&settings.attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK |
                                                                    POSIX_SPAWN_SETSIGDEF | group));
  std::vector<std::string> argv = program.argv;
  std::vector<std::string> environment = environment_of(program);
  return posix_spawnp(&pid, argv.front().c_str(), &settings.actions, &settings.attributes,
                      pointers(argv).data(), pointers(environment).data());
}

/// Closes all descriptors above standard error but `kept`.
void close_others(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = STDERR_FILENO + 1;
  for (const int each : kept) {
    const auto fd = static_cast<unsigned>(each);
    if (fd < first) continue;
    if (fd > first) close_range(first, fd - 1, 0);
    first = fd + 1;
  }
  close_range(first, ~0U, 0);
}

[[noreturn]] void run_in_child(const ChildProcess::Function& function, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // The parent ended before prctl().
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  if (function.captured != ChildProcess::Captured::kNothing) dup2(output, STDOUT_FILENO);
  if (function.captured == ChildProcess::Captured::kOutputAndErrors) dup2(output, STDERR_FILENO);
  close_others(function.kept);
  function.run();
  _exit(0);
}

/// Without ends when nothing is captured.
Result<Pipe> output_pipe(ChildProcess::Captured captured) {
  return captured == ChildProcess::Captured::kNothing ? Pipe() : Pipe::open();
}

/// Waits until `fd` is readable; false when `end` comes first.
bool await_readable(int fd, ChildProcess::Moment end) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    constexpr long kLongest =
        1'000'000'000;  // The longest timeout that poll() takes, in milliseconds.
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::clamp(left.count(), 0L, kLongest)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (left.count() <= 0) return false;
  }
}

}  // namespace

Result<Pipe> Pipe::open() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return refused(errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string ExitStatus::text() const {
  if (signal == 0) return "exit status " + std::to_string(code);
  const char* const name = sigabbrev_np(signal);
  return "SIG" + std::string(name == nullptr ? "?" : name);
}

Result<ChildProcess> ChildProcess::start(const Program& program) {
  Result<Pipe> pipe = output_pipe(program.captured);
  if (!pipe) return pipe.error();
  pid_t pid = -1;
  if (const int error = spawn(program, pipe->write.get(), pid); error != 0) return refused(error);
  return watched(ChildProcess(pid, program.group, std::move(pipe->read)));
}

Result<ChildProcess> ChildProcess::start(const Function& function) {
  Result<Pipe> pipe = output_pipe(function.captured);
  if (!pipe) return pipe.error();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return refused(errno);
  if (pid == 0) run_in_child(function, pipe->write.get(), parent);
  setpgid(pid, pid);  // Parent and child both do it: either may run first.
  return watched(ChildProcess(pid, Group::kOwn, std::move(pipe->read)));
}

Result<ChildProcess> ChildProcess::watched(ChildProcess child) {
  child.ended_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.ended_.valid()) return refused(errno);
  return child;
}

ChildProcess::ChildProcess(pid_t pid, Group group, UniqueFd output)
    : pid_(pid), group_(group), output_(std::move(output)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      group_(other.group_),
      output_(std::move(other.output_)),
      ended_(std::move(other.ended_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(group_, other.group_);
  std::swap(output_, other.output_);
  std::swap(ended_, other.ended_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill();
  reap();
}

ChildProcess::Read ChildProcess::read_output(std::string& out, std::size_t bytes_max, Moment end) {
  std::array<char, 4096> buffer{};
  while (await_readable(output_.get(), end)) {
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::kAll;
    if (out.size() + static_cast<std::size_t>(got) > bytes_max) return Read::kTooMuch;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return Read::kTimedOut;
}

bool ChildProcess::wait_until(Moment end) const { return await_readable(ended_.get(), end); }

void ChildProcess::kill() const {
  if (pid_ > 0) ::kill(group_ == Group::kOwn ? -pid_ : pid_, SIGKILL);
}

ExitStatus ChildProcess::reap() {
  if (pid_ <= 0) return {};
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace davit

#include "tests/live/support/process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

extern char** environ;

namespace davit::live {
namespace {

using std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& each : strings) out.push_back(const_cast<char*>(each.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment(const std::vector<std::string>& extra) {
  std::vector<std::string> out = extra;
  for (char** each = environ; *each != nullptr; ++each) out.emplace_back(*each);
  return out;
}

/// The process group of all children. A child of its own leads it: it waits for the end of this
/// program, however that comes about, and then kills the group, so that a test that crashes leaves
/// no server behind.
pid_t guarded_group() {
  static const pid_t kGroup = [] {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) give_up("cannot make a pipe");
    const pid_t guard = fork();
    if (guard < 0) give_up("cannot fork");
    if (guard == 0) {
      setpgid(0, 0);
      close(ends[1]);
      // It has the program's name, so stopping that by name stops it, too.
      for (const int each : {SIGTERM, SIGINT, SIGHUP}) ::signal(each, SIG_IGN);
      char never = 0;
      while (read(ends[0], &never, 1) < 0 && errno == EINTR) {
      }
      kill(0, SIGKILL);
    }
    setpgid(guard, guard);  // Both processes call it; the first call counts.
    close(ends[0]);
    return guard;  // The other end is closed by the end of this program.
  }();
  return kGroup;
}

pid_t spawn(const std::vector<std::string>& argv, const std::vector<std::string>& env,
            const std::string& in, const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kWrite, 0600);
  const std::vector<std::string> full = environment(env);
  pid_t pid = -1;
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&how, guarded_group());
  const int error = posix_spawnp(&pid, argv[0].c_str(), &files, &how, pointers(argv).data(),
                                 pointers(full).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) give_up("cannot start " + argv[0]);
  return pid;
}

/// Keeps a name that stands for the port to the end of this program, so that no other test takes
/// it.
bool reserve(int port) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The first character is NUL: the name is no file's.
  std::snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "davit-live-port-%d", port);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return true;
  close(fd);
  return false;
}

bool can_listen(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool can = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return can;
}

int decode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

void give_up(const std::string& what) {
  std::fprintf(stderr, "live test support: %s\n", what.c_str());
  std::abort();
}

Process::Process(const std::vector<std::string>& argv, std::filesystem::path log,
                 const std::vector<std::string>& env)
    : log_(std::move(log)), pid_(spawn(argv, env, "/dev/null", log_.string(), log_.string())) {}

Process::~Process() {
  if (!running()) return;
  signal(SIGKILL);
  (void)wait(std::chrono::seconds(30));
}

bool Process::reap() {
  if (exit_code_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  exit_code_ = decode(status);
  return true;
}

bool Process::running() { return !reap(); }

void Process::signal(int number) const {
  if (!exit_code_) kill(pid_, number);
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  (void)eventually(limit, [this] { return reap(); });
  return exit_code_;
}

std::string Process::output() const { return read_file(log_); }

Outcome run(const std::vector<std::string>& argv, const std::string& input,
            const std::vector<std::string>& env, std::chrono::milliseconds limit) {
  const ScratchDir scratch;
  write_file(scratch.path() / "in", input);
  const pid_t pid = spawn(argv, env, (scratch.path() / "in").string(),
                          (scratch.path() / "out").string(), (scratch.path() / "err").string());
  int status = 0;
  const bool ended = eventually(limit, [&] { return waitpid(pid, &status, WNOHANG) == pid; });
  if (!ended) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
  }
  Outcome outcome;
  outcome.code = ended ? decode(status) : 124;
  outcome.out = read_file(scratch.path() / "out");
  outcome.err = read_file(scratch.path() / "err");
  return outcome;
}

bool eventually(std::chrono::milliseconds limit, const std::function<bool()>& done,
                std::chrono::milliseconds interval) {
  const auto deadline = steady_clock::now() + limit;
  while (!done()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(interval);
  }
  return true;
}

ScratchDir::ScratchDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "davit-live-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) give_up("cannot make " + pattern);
  path_ = pattern;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

int free_port() {
  // Below the ports that the kernel gives to clients, one of which could take it before the server.
  const int end = std::atoi(read_file("/proc/sys/net/ipv4/ip_local_port_range").c_str());
  constexpr int kChoice = 10000;
  if (end <= 1024 + kChoice) give_up("no range of ports below the system's own");
  std::random_device random;
  for (int tries = 0; tries < kChoice; ++tries) {
    const int port = end - kChoice + static_cast<int>(random() % kChoice);
    if (reserve(port) && can_listen(port)) return port;
  }
  give_up("no free loopback port");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) give_up("cannot write " + path.string());
}

}  // namespace davit::live

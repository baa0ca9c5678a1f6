#include "host/crash/crash_handler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include "host/crash/crash_text.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

using Path = std::array<char, PATH_MAX>;

/// A text that is longer than a path may be is left out.
void set_path(Path& out, const std::string& path) {
  out[0] = '\0';
  if (path.size() >= out.size()) return;
  path.copy(out.data(), path.size());
  out[path.size()] = '\0';
}

struct Installed {
  Path journal{};
  Path life{};
  std::array<struct sigaction, kSignals.size()> before{};
  LogFormat format = LogFormat::kText;
  pid_t process = 0;  // 0: no handler lives. A fork's end is not the host's.
};
// A process has one set of handlers, and the kernel hands them nothing of ours: what they need must
// lie where they find it. Written before they are installed.
constinit Installed installed;
// The first thread to crash reports; no order with other memory is needed.
constinit std::atomic_flag reporting;

std::uint64_t instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

std::int64_t unix_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

CrashFacts facts_of(int signal, const siginfo_t& info, const ucontext_t& context) {
  CrashFacts facts;
  facts.signal = signal;
  facts.address = reinterpret_cast<std::uint64_t>(info.si_addr);
  facts.instruction = instruction_of(context);
  facts.crumb = current_breadcrumb();
  // Made for unwinders: takes no lock.
  dl_find_object found{};
  if (::_dl_find_object(reinterpret_cast<void*>(facts.instruction), &found) == 0) {
    facts.module = found.dlfo_link_map->l_name;
    facts.module_base = found.dlfo_link_map->l_addr;
  }
  facts.unix_seconds = unix_seconds();
  return facts;
}

/// Safe in a signal handler.
void report(const CrashFacts& facts) {
  CrashHandler::end_life();
  CrashText text;
  add_report(facts, installed.format, text);
  (void)write_all(STDERR_FILENO, text.view());
  if (installed.journal[0] == '\0') return;
  CrashText record;
  add_record(facts, record);
  const UniqueFd file(::open(installed.journal.data(),
                             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                             0600));
  if (file.valid() && write_all(file.get(), record.view())) return;
  CrashText loss;
  add_loss(facts, installed.journal.data(), errno, installed.format, loss);
  (void)write_all(STDERR_FILENO, loss.view());
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  // Another thread that crashes in between waits until the first one ends the process.
  while (reporting.test_and_set(std::memory_order_relaxed)) ::pause();
  report(facts_of(signal, *info, *static_cast<const ucontext_t*>(context)));
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &installed.before[i], nullptr);
  }
  // A fault happens again when this returns. A signal that a process sent must be sent again.
  if (info->si_code <= 0) ::raise(signal);
  errno = saved;
}

/// Reports an exit() in a call into a plugin and ends the process, or returns.
void judge_exit(int status) {
  constexpr int kFailed = 1;
  const Breadcrumb* const crumb = current_breadcrumb();
  if (installed.process != ::getpid() || crumb == nullptr) return;
  while (reporting.test_and_set(std::memory_order_relaxed)) ::pause();
  report({.exit_status = status, .crumb = crumb, .unix_seconds = unix_seconds()});
  // Handlers and destructors would run beside threads that still work.
  ::_exit(status == 0 ? kFailed : status);
}

}  // namespace

CrashHandler::CrashHandler(const std::string& journal, LogFormat format, const std::string& life) {
  installed.format = format;
  set_path(installed.journal, journal);
  set_path(installed.life, life);
  installed.process = ::getpid();
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // A crash in the handler itself then ends the process at once.
  for (const int signal : kSignals) ::sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &installed.before[i]);
  }
}

void CrashHandler::end_life() {
  if (installed.life[0] == '\0' || installed.process != ::getpid()) return;
  (void)::unlink(installed.life.data());
}

CrashHandler::~CrashHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &installed.before[i], nullptr);
  }
  installed = {};
}

}  // namespace davit::host

/// Takes the place of libc's for this program and the plugins that it loads. A handler of atexit()
/// would come too late: those of younger libraries run before it, beside threads that still use
/// what they destroy.
extern "C" [[gnu::noreturn, gnu::visibility("default")]] void exit(int status) {
  davit::host::judge_exit(status);
  using Exit = void (*)(int);
  reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, "exit"))(status);
  ::_exit(status);  // Not reached.
}

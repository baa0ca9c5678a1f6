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

struct Installed {
  std::array<char, PATH_MAX> journal{};
  std::array<struct sigaction, kSignals.size()> before{};
  LogFormat format = LogFormat::kText;
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
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  facts.unix_seconds = now.tv_sec;
  return facts;
}

void report(const CrashFacts& facts) {
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

}  // namespace

CrashHandler::CrashHandler(const std::string& journal, LogFormat format) {
  installed.format = format;
  if (journal.size() < installed.journal.size()) {
    journal.copy(installed.journal.data(), journal.size());
    installed.journal[journal.size()] = '\0';
  }
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // A crash in the handler itself then ends the process at once.
  for (const int signal : kSignals) ::sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &installed.before[i]);
  }
}

CrashHandler::~CrashHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &installed.before[i], nullptr);
  }
  installed = {};
}

}  // namespace davit::host

#include "cli/validate/fault_report.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <string_view>

namespace davit::host {
namespace {

/// A fault so close to the stack pointer is one of the stack: frames of plugins are smaller.
constexpr std::uintptr_t kStackDistance = 64 * 1024;

constexpr std::string_view kKept =
    "fail touches a value after the call that lent it has returned: copy it, or retain() the "
    "object\n";
constexpr std::string_view kStackFull =
    "fail its stack is full: calls go deeper without end, perhaps through a function of the host\n";

struct Installed {
  const CheckReporter* reporter = nullptr;
  const LentMemory* lent = nullptr;
  struct sigaction on_segv {};
  struct sigaction on_bus {};
};
// A process has one set of handlers, and the kernel hands them nothing of ours. Written before they
// are installed.
constinit Installed installed;

std::uintptr_t stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  return 0;
#endif
}

void on_fault(int signal, siginfo_t* info, void* raw) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t stack = stack_pointer(*static_cast<const ucontext_t*>(raw));
  const std::uintptr_t distance = address > stack ? address - stack : stack - address;
  if (installed.lent != nullptr && installed.lent->owns(info->si_addr)) {
    installed.reporter->write_line(kKept);
  } else if (distance < kStackDistance) {
    installed.reporter->write_line(kStackFull);
  }
  // The fault happens again when this returns.
  ::sigaction(signal, signal == SIGBUS ? &installed.on_bus : &installed.on_segv, nullptr);
}

}  // namespace

FaultReport::FaultReport(const CheckReporter& reporter, const LentMemory* lent) {
  installed.reporter = &reporter;
  installed.lent = lent;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &installed.on_segv);
  ::sigaction(SIGBUS, &action, &installed.on_bus);
}

FaultReport::~FaultReport() {
  ::sigaction(SIGSEGV, &installed.on_segv, nullptr);
  ::sigaction(SIGBUS, &installed.on_bus, nullptr);
  installed = {};
}

}  // namespace davit::host

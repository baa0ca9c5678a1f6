#include "host/run/breadcrumb.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace davit::host {
namespace {

/// Several times the stack that a crash handler needs: the signal's frame with AVX-512 state is
/// below 4 KiB, its texts below 20 KiB.
constexpr std::size_t kStackBytes = std::size_t{64} * 1024;

class AlternateStack {
 public:
  AlternateStack() {
    stack_t present{};
    // Sanitizers bring one, and take it down themselves.
    if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    void* const memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    stack_t ours{};
    ours.ss_sp = memory;
    ours.ss_size = kStackBytes;
    (void)::sigaltstack(&ours, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    (void)::sigaltstack(&none, nullptr);
    ::munmap(memory_, kStackBytes);
  }

 private:
  void* memory_ = nullptr;
};

/// Gives the calling thread an alternate signal stack for as long as it lives, unless it has one.
/// Its pages cost nothing before a handler runs on them.
void ensure_alternate_stack() noexcept {
  // Belongs to the thread by its nature, and ends with it.
  thread_local const AlternateStack kStack;
}

// Per thread by its nature: a crash handler knows nothing but the thread that it runs on.
constinit thread_local const Breadcrumb* current = nullptr;
constinit thread_local bool prepared = false;  // This thread has been in a scope before.

}  // namespace

const Breadcrumb* current_breadcrumb() noexcept { return current; }

BreadcrumbScope::BreadcrumbScope(const Breadcrumb& crumb) noexcept
    : crumb_(crumb), outer_(current) {
  if (!prepared) {
    ensure_alternate_stack();
    prepared = true;
  }
  current = &crumb_;
}

BreadcrumbScope::~BreadcrumbScope() { current = outer_; }

}  // namespace davit::host

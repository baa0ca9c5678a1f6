/// The place in the program that a signal interrupted.
#pragma once

#include <ucontext.h>

namespace davit {

/// The address of the next instruction of the interrupted thread, from the third argument of a
/// signal handler; null for an architecture that is not known here. Async-signal-safe.
inline void* interrupted_instruction([[maybe_unused]] const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(context.uc_mcontext.pc);
#else
  return nullptr;
#endif
}

}  // namespace davit

/// DAVIT_ASSERT: detects bugs in davit itself. Stays on in release builds and aborts.
#pragma once

namespace davit {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}

#define DAVIT_ASSERT(condition)                        \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::davit::assertion_failed(#condition, __FILE__, __LINE__))

/// Names the mistake behind a memory fault of a plugin.
#pragma once

#include "cli/validate/child.hpp"
#include "host/object/lent_memory.hpp"

namespace davit::host {

/// While it lives, SIGSEGV and SIGBUS that come from a value that was kept after its call, or from
/// a stack that is full, are reported as failures before they end the process. One a process.
class FaultReport {
 public:
  /// Both are borrowed; `lent` may be null.
  FaultReport(const CheckReporter& reporter, const LentMemory* lent);
  FaultReport(const FaultReport&) = delete;
  FaultReport& operator=(const FaultReport&) = delete;
  ~FaultReport();
};

}  // namespace davit::host

/// Takes CPU profiles of the whole process: where its threads are while they use the CPU.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <utility>

namespace davit::host {

/// A profile that is being taken, from its start until finish() or its destructor. At most one at a
/// time in a process. The kernel sends SIGPROF to a running thread for each 10 ms of CPU time that
/// the process uses; the handler keeps the stack of that thread. Threads that wait cost nothing and
/// do not appear, and those that block all signals do not appear, either.
class CpuProfile {
 public:
  /// kConflict: another profile is being taken; kUnavailable: the system gives no timer.
  [[nodiscard]] static Result<CpuProfile> start();

  CpuProfile(CpuProfile&& other) noexcept : running_(std::exchange(other.running_, false)) {}
  CpuProfile& operator=(CpuProfile&&) = delete;
  /// Stops it. SIGPROF keeps a handler that does nothing, because a late signal would end the
  /// process otherwise.
  ~CpuProfile();

  /// Stops it and returns the profile in the format of gperftools, which pprof reads: a sample for
  /// each stack, then the address ranges of the loaded files, which have the symbols. To be called
  /// once.
  [[nodiscard]] std::string finish();

 private:
  CpuProfile() = default;

  bool running_ = true;
};

}  // namespace davit::host

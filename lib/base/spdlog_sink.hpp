/// The log of the program: lines in klog's text or JSON format, written through spdlog.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "lib/base/log.hpp"
#include "lib/base/log_modules.hpp"

namespace davit {

/// The value of -v while a log is in use, and that of --vmodule: info lines above it are dropped,
/// unless their logger has a higher verbosity. Thread-safe.
class LogVerbosity {
 public:
  explicit LogVerbosity(int value, LogModules modules = {})
      : modules_(std::move(modules)), value_(value) {}
  LogVerbosity(const LogVerbosity&) = delete;
  LogVerbosity& operator=(const LogVerbosity&) = delete;

  [[nodiscard]] int get() const { return value_.load(std::memory_order_relaxed); }
  void set(int value) { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] const LogModules& modules() const { return modules_; }

 private:
  const LogModules modules_;
  std::atomic<int> value_;  // Relaxed: nothing else depends on it.
};

/// Writes each line at once to `file`, which stays the caller's and outlives the sink. `verbosity`
/// is the value of -v. A reader that went away is not an error, but the process must ignore
/// SIGPIPE.
[[nodiscard]] std::unique_ptr<LogSink> make_log_sink(LogFormat format, int verbosity,
                                                     std::FILE* file = stderr);
/// The same with a verbosity that can change; it must outlive the sink.
[[nodiscard]] std::unique_ptr<LogSink> make_log_sink(LogFormat format,
                                                     const LogVerbosity& verbosity,
                                                     std::FILE* file = stderr);

}  // namespace davit

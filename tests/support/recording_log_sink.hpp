/// A LogSink that stores its lines for a test.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::test {

/// Thread-safe.
class RecordingLogSink final : public LogSink {
 public:
  explicit RecordingLogSink(int verbosity = 0) : verbosity_(verbosity) {}

  [[nodiscard]] int verbosity() const override { return verbosity_.load(); }
  /// Applies from now on.
  void set_verbosity(int verbosity) { verbosity_.store(verbosity); }

  void write(Severity severity, int verbosity, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override {
    std::string line = severity == Severity::kInfo      ? "I" + std::to_string(verbosity)
                       : severity == Severity::kWarning ? "W"
                                                        : "E";
    line.append(" ").append(logger).append(": ").append(message);
    for (const LogPair& field : fields) {
      line.append(" ").append(field.key).append("=").append(field.text());
    }
    MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
  }

  void flush() override {}

  /// The lines so far, as `E logger: message key=value`; info lines start with `I` and their
  /// verbosity.
  [[nodiscard]] std::vector<std::string> lines() const {
    MutexLock lock(mutex_);
    return lines_;
  }

  /// The number of lines that contain `text`.
  [[nodiscard]] std::size_t count(std::string_view text) const {
    MutexLock lock(mutex_);
    std::size_t found = 0;
    for (const std::string& line : lines_) found += line.find(text) != std::string::npos ? 1 : 0;
    return found;
  }

 private:
  std::atomic<int> verbosity_;
  mutable Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
};

}  // namespace davit::test

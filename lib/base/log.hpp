/// Logging as an injected seam: a constant text plus key-value pairs.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace davit {

/// One key-value pair of a log line. The views live for the call.
struct LogPair {
  /// Text is quoted in the output.
  LogPair(std::string_view k, std::string_view v) : key(k), value(v), quoted(true) {}
  LogPair(std::string_view k, const char* v) : LogPair(k, std::string_view(v)) {}
  LogPair(std::string_view k, const std::string& v) : LogPair(k, std::string_view(v)) {}
  /// Numbers and booleans are not quoted.
  template <typename T>
  requires(std::integral<T> || std::floating_point<T>) LogPair(std::string_view k, T v)
      : key(k), number(render(v)), quoted(false) {}

  [[nodiscard]] std::string_view text() const { return quoted ? value : std::string_view(number); }

  std::string_view key;
  std::string_view value;
  std::string number;
  bool quoted;

 private:
  static std::string render(bool v) { return v ? "true" : "false"; }
  template <typename T>
  static std::string render(T v) {
    return std::to_string(v);
  }
};

/// The format of log lines: klog's text format, or one JSON object per line.
enum class LogFormat { kText, kJson };

enum class Severity { kInfo, kWarning, kError };

/// The destination of log lines. Thread-safe; must not be called under a lock.
class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;

  /// The highest verbosity that is written (-v); info lines above it are dropped.
  [[nodiscard]] virtual int verbosity() const = 0;
  virtual void write(Severity severity, int verbosity, std::string_view logger,
                     std::string_view message, std::span<const LogPair> fields) = 0;
  virtual void flush() = 0;
};

/// Writes to a LogSink under a name; cheap to copy. A name that is not empty is the line's first
/// pair, `logger`.
class Logger {
 public:
  explicit Logger(LogSink& sink, std::string logger = "")
      : sink_(&sink), logger_(std::move(logger)) {}

  void info(int verbosity, std::string_view message,
            std::initializer_list<LogPair> fields = {}) const {
    if (verbosity <= sink_->verbosity()) {
      sink_->write(Severity::kInfo, verbosity, logger_, message, {fields.begin(), fields.size()});
    }
  }
  void warning(std::string_view message, std::initializer_list<LogPair> fields = {}) const {
    sink_->write(Severity::kWarning, 0, logger_, message, {fields.begin(), fields.size()});
  }
  void error(std::string_view message, std::initializer_list<LogPair> fields = {}) const {
    sink_->write(Severity::kError, 0, logger_, message, {fields.begin(), fields.size()});
  }

  /// Writes a line whose severity is known only at run time; `verbosity` applies to info lines.
  void write(Severity severity, int verbosity, std::string_view message,
             std::span<const LogPair> fields) const {
    if (severity != Severity::kInfo) {
      sink_->write(severity, 0, logger_, message, fields);
    } else if (verbosity <= sink_->verbosity()) {
      sink_->write(severity, verbosity, logger_, message, fields);
    }
  }

  [[nodiscard]] LogSink& sink() const { return *sink_; }
  /// A logger whose name is appended to this one's with a dot.
  [[nodiscard]] Logger named(std::string_view name) const {
    return Logger(*sink_, logger_.empty() ? std::string(name) : logger_ + "." + std::string(name));
  }

 private:
  LogSink* sink_;  // Borrowed; outlives every Logger.
  std::string logger_;
};

}  // namespace davit

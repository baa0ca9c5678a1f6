#include "lib/base/spdlog_sink.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/log_line.hpp"

namespace davit {
namespace {

/// spdlog's part: one line at a time into the file, from any thread.
class FileSink final : public spdlog::sinks::stdout_sink_base<spdlog::details::console_mutex> {
 public:
  explicit FileSink(std::FILE* file) : stdout_sink_base(file) { set_pattern("%v"); }
};

spdlog::level::level_enum level_of(Severity severity) {
  switch (severity) {
    case Severity::kWarning:
      return spdlog::level::warn;
    case Severity::kError:
      return spdlog::level::err;
    case Severity::kInfo:
      break;
  }
  return spdlog::level::info;
}

class SpdlogSink final : public LogSink {
 public:
  SpdlogSink(LogFormat format, int verbosity, std::FILE* file)
      : format_(format), fixed_(verbosity), verbosity_(fixed_), sink_(file) {}
  SpdlogSink(LogFormat format, const LogVerbosity& verbosity, std::FILE* file)
      : format_(format), fixed_(0), verbosity_(verbosity), sink_(file) {}

  /// That of the most verbose logger: write() has the rest of the rule.
  [[nodiscard]] int verbosity() const override {
    return std::max(verbosity_.get(), verbosity_.modules().highest());
  }

  void write(Severity severity, int verbosity, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override {
    if (severity == Severity::kInfo && verbosity > verbosity_.get() &&
        verbosity > verbosity_.modules().of(logger)) {
      return;
    }
    const LogRecord record{
        severity, verbosity, std::chrono::system_clock::now(), ::getpid(), logger, message, fields};
    const std::string line =
        format_ == LogFormat::kText ? text_log_line(record) : json_log_line(record);
    sink_.log(spdlog::details::log_msg({}, level_of(severity), {line.data(), line.size()}));
  }

  void flush() override { sink_.flush(); }

 private:
  const LogFormat format_;
  const LogVerbosity fixed_;
  const LogVerbosity& verbosity_;  // That one, or the caller's.
  FileSink sink_;
};

}  // namespace

std::unique_ptr<LogSink> make_log_sink(LogFormat format, int verbosity, std::FILE* file) {
  return std::make_unique<SpdlogSink>(format, verbosity, file);
}

std::unique_ptr<LogSink> make_log_sink(LogFormat format, const LogVerbosity& verbosity,
                                       std::FILE* file) {
  return std::make_unique<SpdlogSink>(format, verbosity, file);
}

}  // namespace davit

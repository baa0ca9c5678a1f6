/// Log: structured lines in the host's log.
#pragma once

#include <cstdint>
#include <davit/api.hpp>
#include <initializer_list>
#include <string_view>

namespace davit {

/// One key-value pair of a log line. Borrows both texts.
struct LogField {
  std::string_view key;
  std::string_view value;
};

/// A line is a constant message and key-value pairs; the host adds controller, time and format.
class Log {
 public:
  /// `api` must outlive the log.
  explicit Log(const Api& api) : api_(&api) {}

  void error(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    write(DAVIT_LOG_ERROR, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    write(DAVIT_LOG_WARNING, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    write(DAVIT_LOG_INFO, message, fields);
  }
  /// Written with -v of at least `level`.
  void verbose(std::int32_t level, std::string_view message,
               std::initializer_list<LogField> fields = {}) const {
    write(level, message, fields);
  }
  /// Ask before computing costly fields.
  [[nodiscard]] bool enabled(std::int32_t level) const {
    return api_->log->enabled(api_->call(), level) != 0;
  }

 private:
  static constexpr std::size_t kFieldsMax = 8;  // Fields beyond it are dropped.

  void write(std::int32_t level, std::string_view message,
             std::initializer_list<LogField> fields) const;

  const Api* api_;
};

}  // namespace davit

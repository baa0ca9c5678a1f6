/// Formats log lines: klog's text format and its JSON counterpart. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit {

/// One line before it is formatted. The views live for the call.
struct LogRecord {
  Severity severity = Severity::kInfo;
  int verbosity = 0;
  WallTime time;
  long process = 0;
  std::string_view logger;  ///< Stands where klog has file:line; empty: "davit".
  std::string_view message;
  std::span<const LogPair>
      fields;  ///< `err` is written first; of a key given twice the last value wins.
};

/// `I1121 08:00:00.123456   12345 logger] "message" key="value" key2=3` in local time, without a
/// line feed.
[[nodiscard]] std::string text_log_line(const LogRecord& record);

/// `{"ts":…,"caller":"logger","msg":"…","v":0,"logger":"…","err":"…",…}`, without a line feed; `v`
/// only of info lines.
[[nodiscard]] std::string json_log_line(const LogRecord& record);

}  // namespace davit

/// The log of the program: lines in klog's text or JSON format, written through spdlog.
#pragma once

#include <cstdio>
#include <memory>

#include "lib/base/log.hpp"

namespace davit {

/// Writes each line at once to `file`, which stays the caller's and outlives the sink. `verbosity`
/// is the value of -v. A reader that went away is not an error, but the process must ignore
/// SIGPIPE.
[[nodiscard]] std::unique_ptr<LogSink> make_log_sink(LogFormat format, int verbosity,
                                                     std::FILE* file = stderr);

}  // namespace davit

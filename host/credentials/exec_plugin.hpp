/// Runs a credential plugin and reads what it prints (client.authentication.k8s.io).
#pragma once

#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/config/connection_config.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// A plugin's output.
struct ExecCredential {
  std::string token;
  std::string cert;  ///< PEM, together with `key` or not at all.
  std::string key;
  std::optional<WallTime> expires;  ///< Nothing: good for the life of the process.
};

/// The end of a program, or the reason why it did not start.
struct ProgramResult {
  enum class End { kExited, kNotFound, kNotStarted, kTimedOut, kPrintedTooMuch };

  End end = End::kExited;
  int exit_code = 0;  ///< 128 + signal after a signal; 1, as client-go counts it, without a start.
  /// The output, or the system's reason for kNotStarted.
  std::string output;
};

/// The value of KUBERNETES_EXEC_INFO.
[[nodiscard]] std::string exec_info(const ConnectionConfig& config);

/// Reads a plugin's output. Its apiVersion must be `api_version`.
[[nodiscard]] Result<ExecCredential> parse_exec_credential(std::string_view output,
                                                           std::string_view api_version);

/// Runs `exec` with empty input, our error output and `info` in its environment. Stops it after
/// `limit` of real time, or after 1 MiB of output. Blocks.
[[nodiscard]] ProgramResult run_program(const ExecConfig& exec, const std::string& info,
                                        std::chrono::milliseconds limit);

}  // namespace davit::host

/// A request to a running host, as one line of JSON (docs/HOT_SWAP.md).
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit::host {

struct ControlRequest {
  /// "status", "swap", "load", "unload", "enable", "disable", "pause", "resume", "shadow",
  /// "shadow-commit", "shadow-drop" or "why".
  std::string command;
  /// The plugin or controller; of "load" empty; of "why" KIND/NAME.
  std::string name;
  /// For "swap", "load" and "shadow": an absolute path; may be empty except for "load".
  std::string file;
  /// For "swap": "none" if the new build is to start without state; empty if it gets the old
  /// build's state.
  std::string state{};
  /// For "swap": how long the new build is watched before the response is sent; below 0: as long
  /// as the host is configured to, after the response.
  std::int64_t watch_ms = -1;
  std::int64_t max_error_percent = -1;  ///< Goes with watch_ms.
  std::string ns{};                     ///< For "why": the namespace; empty: "default".
  std::string output{};                 ///< For "why": "text", "json" or "timeline"; empty: text.
};

/// One line, with its end.
[[nodiscard]] std::string to_line(const ControlRequest& request);

/// kInvalid names what is wrong; unknown commands and members are mistakes.
[[nodiscard]] Result<ControlRequest> parse_request(std::string_view line);

/// The response, with its line end, to a line that is not a request.
[[nodiscard]] std::string refusal_line(const std::string& why);

/// The parts of a response that `davit ctl` uses; the rest is for programs.
struct ControlResponse {
  enum class Success { kNo, kYes };
  Success success = Success::kNo;
  std::string text;  ///< For people; may have several lines.
};
[[nodiscard]] Result<ControlResponse> parse_response(std::string_view line);

}  // namespace davit::host

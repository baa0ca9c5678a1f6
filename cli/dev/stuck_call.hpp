/// A call into the plugin that does not end, as the host of `davit dev` reports it. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// One such call: what it does, for how long, and where in the plugin it is.
struct StuckCall {
  std::string activity;                ///< "sync", "timer" or "on_event".
  std::string key;                     ///< The key of a sync; for a timer its number.
  std::int64_t seconds = 0;            ///< So long it has been running.
  std::vector<std::uint64_t> stack{};  ///< See StackSampler::plugin_stack().

  /// What follows the word "stuck" in a report.
  [[nodiscard]] std::string report() const;
  /// Reads what report() wrote, without the word "stuck". Parts that are missing stay empty.
  [[nodiscard]] static StuckCall parse(std::string_view report);

  /// "sync of default/web"
  [[nodiscard]] std::string name() const;
};

/// How binutils names the lines of `stack` in `library`.
[[nodiscard]] std::vector<std::string> line_command(const std::filesystem::path& library,
                                                    const std::vector<std::uint64_t>& stack);
/// What to print of a call; `named` is what the command of line_command() printed, or nothing when
/// it could not run. Files below `source` are named from there.
[[nodiscard]] std::vector<std::string> describe(const StuckCall& call,
                                                const std::vector<std::string>& named,
                                                const std::filesystem::path& source);

}  // namespace davit::host

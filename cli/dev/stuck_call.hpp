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

  /// The text after the word "stuck" in a report.
  [[nodiscard]] std::string report() const;
  /// Reads what report() wrote, without the word "stuck". Parts that are missing stay empty.
  [[nodiscard]] static StuckCall parse(std::string_view report);

  /// "sync of default/web"
  [[nodiscard]] std::string name() const;
};

/// The binutils command that prints the source lines of `stack` in `library`.
[[nodiscard]] std::vector<std::string> line_command(const std::filesystem::path& library,
                                                    const std::vector<std::uint64_t>& stack);
/// The lines to print about a call; `named` is the output of line_command()'s command, empty if it
/// could not run. Files below `source` are named relative to it.
[[nodiscard]] std::vector<std::string> describe(const StuckCall& call,
                                                const std::vector<std::string>& named,
                                                const std::filesystem::path& source);

}  // namespace davit::host

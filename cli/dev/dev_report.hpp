/// Turns the host's reports into the output of `davit dev`. Pure: callers pass `now`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Single syncs, writes and errors are shown as they come, up to a number in each second; the
/// others are counted, and the count is reported at the end of the second. One thread.
class DevReport {
 public:
  /// A build is on its way into the host: when the save that it came from was seen, and how long
  /// the tools took.
  struct Saved {
    Time at;
    Duration build{0};
  };
  /// A host begins with that build: its generations count from one.
  void starts(const std::optional<Saved>& saved);
  /// It takes the place of the build that serves.
  void swaps(const Saved& saved);

  /// One report of the host, see play_host(): the lines that it makes.
  [[nodiscard]] std::vector<std::string> receive(std::string_view report, Time now);
  /// When counted() has something to say; nothing: not yet.
  [[nodiscard]] std::optional<Time> due() const;
  /// A summary of the last second's reports that were not shown one by one.
  [[nodiscard]] std::vector<std::string> counted(Time now);
  /// One line about the work of the current or last build; resets the counts.
  [[nodiscard]] std::string summary();

 private:
  struct Counts {
    int syncs = 0;
    int writes = 0;
    int errors = 0;
  };
  void show(std::string text, int Counts::*kind, Time now);
  void on_sync(std::string_view text, Time now);
  void on_swapped(std::string_view text, Time now);
  void report_first_sync();

  Counts counts_;
  Counts hidden_;               // In this second.
  int shown_ = 0;               // Lines of this second.
  std::optional<Time> second_;  // It began then.
  std::optional<Saved> saved_;  // Until the first sync of that build has been reported.
  std::optional<Time> first_sync_;
  bool serving_ = true;           // The host has reported that the build serves.
  std::uint64_t generation_ = 0;  // That serves.
  std::uint64_t replaced_ = 0;    // The last one before the build of `saved_`.
  std::vector<std::string> lines_;
};

}  // namespace davit::host

/// The positions in plugins of calls that do not return, for the lines that report them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/crash/stack_sampler.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Samples a controller when a line about it appears, and once a minute as long as it stays,
/// because a sample interrupts the system calls of all threads. One at a time in a process. Not
/// thread-safe.
class StuckPositions {
 public:
  /// Adds to each of ServingPlugins::overdue() where its calls are: "; sync of default/web is in
  /// web.so at 0x1a2b, called from 0x19f0". `addr2line` turns the numbers into lines.
  void add_to(std::vector<std::string>& lines, Time now);

 private:
  struct Sampled {
    Time at{};
    std::vector<SampledCall> calls;
  };

  std::optional<StackSampler> sampler_;     // Once it is needed.
  std::map<std::string, Sampled> sampled_;  // The key is the controller.
};

}  // namespace davit::host

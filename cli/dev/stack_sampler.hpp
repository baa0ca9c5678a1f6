/// Samples the stack of a thread of this process that is in a call into a plugin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// Interrupts threads with a signal of its own. One at a time in a process. Not thread-safe.
class StackSampler {
 public:
  StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;
  ~StackSampler();

  /// The plugin's part of the stack of the thread whose Breadcrumb has this activity and key,
  /// innermost first, as offsets into the plugin's library that are within the instruction or call.
  /// Empty if the thread does not exist or does not reply. Interrupts system calls of all threads.
  [[nodiscard]] std::vector<std::uint64_t> plugin_stack(std::string_view activity,
                                                        std::string_view key);
};

}  // namespace davit::host

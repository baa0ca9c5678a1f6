/// Samples the stacks of threads of this process that are in calls into plugins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A call into a plugin that a thread is in.
struct SampledCall {
  std::string plugin;
  std::string activity;  ///< As Breadcrumb::activity.
  std::string key;       ///< A sync's; the beginning of a long one.
  /// The plugin's part of the stack, innermost first, as offsets into its library that are within
  /// the instruction or call.
  std::vector<std::uint64_t> stack;
};

/// An offset of SampledCall::stack as `addr2line` takes it: "0x1a2b".
[[nodiscard]] inline std::string hex_offset(std::uint64_t offset) {
  char text[24];
  const int size =
      std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(offset));
  return {text, static_cast<std::size_t>(size)};
}

/// Interrupts threads with a reserved signal. One at a time in a process. Not thread-safe.
class StackSampler {
 public:
  StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;
  ~StackSampler();

  /// SampledCall::stack of the thread whose Breadcrumb has this activity and key. Empty if the
  /// thread does not exist or does not reply. Interrupts system calls of all threads.
  [[nodiscard]] std::vector<std::uint64_t> plugin_stack(std::string_view activity,
                                                        std::string_view key);
  /// The calls into a controller that other threads are in. Interrupts system calls of all threads.
  [[nodiscard]] std::vector<SampledCall> calls_of(std::string_view controller);
};

}  // namespace davit::host

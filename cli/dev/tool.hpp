/// Programs that `davit dev` calls: cmake and ninja.
#pragma once

#include <string>
#include <vector>

namespace davit::host {

/// Handles events while a tool runs.
class ToolObserver {
 public:
  ToolObserver() = default;
  ToolObserver(const ToolObserver&) = delete;
  ToolObserver& operator=(const ToolObserver&) = delete;

  /// Readable as soon as the tool must be stopped.
  [[nodiscard]] virtual int stop_fd() const = 0;
  /// Readable when on_ready() has something to do; -1: there is nothing to look after.
  [[nodiscard]] virtual int busy_fd() const = 0;
  virtual void on_ready() = 0;

 protected:
  ~ToolObserver() = default;
};

struct ToolRun {
  enum class End { kDone, kStopped, kNotStarted };

  End end = End::kNotStarted;
  int code = -1;                   ///< The exit code, 128 + signal when it was killed.
  std::vector<std::string> lines;  ///< The whole output, both streams in the order of printing.
};

/// Runs `argv` to its end. It is killed, with its children, as soon as it is to stop.
[[nodiscard]] ToolRun run_tool(const std::vector<std::string>& argv, ToolObserver& observer);

}  // namespace davit::host

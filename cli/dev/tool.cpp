#include "cli/dev/tool.hpp"

#include <poll.h>

#include <array>
#include <chrono>
#include <iterator>

#include "lib/base/child_process.hpp"
#include "lib/base/line_pipe.hpp"

namespace davit::host {
namespace {

/// Reads until the tool has closed its end, or everything is to stop.
ToolRun::End listen(int output, ToolObserver& observer, std::vector<std::string>& lines) {
  LineReader reader(output);
  while (!reader.ended()) {
    std::array<pollfd, 3> ready{
        {{output, POLLIN, 0}, {observer.stop_fd(), POLLIN, 0}, {observer.busy_fd(), POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0) continue;
    if (ready[1].revents != 0) return ToolRun::End::kStopped;
    if (ready[2].revents != 0) observer.on_ready();
    if (ready[0].revents == 0) continue;
    std::vector<std::string> read = reader.take(std::chrono::milliseconds(0));
    std::move(read.begin(), read.end(), std::back_inserter(lines));
  }
  return ToolRun::End::kDone;
}

}  // namespace

ToolRun run_tool(const std::vector<std::string>& argv, ToolObserver& observer) {
  ToolRun run;
  Result<ChildProcess> tool = ChildProcess::start(ChildProcess::Program{.argv = argv});
  if (!tool) return run;
  run.end = listen(tool->output_fd(), observer, run.lines);
  if (run.end == ToolRun::End::kStopped) tool->kill();
  run.code = tool->reap().shell_code();
  return run;
}

}  // namespace davit::host

/// A part of `davit dev` in a separate process, so that a plugin that crashes ends nothing else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/child_process.hpp"
#include "lib/base/line_pipe.hpp"

namespace davit::host {

/// A child that takes orders and reports. One thread.
class DevChild {
 public:
  /// The child's work; the child exits when it returns, which it should do once `orders` have
  /// ended.
  using Work = std::function<void(LineReader& orders, const LineWriter& reports)>;

  /// Null: no process can be started. This process has one thread only.
  [[nodiscard]] static std::unique_ptr<DevChild> start(const Work& work);
  DevChild(ChildProcess process, UniqueFd orders, UniqueFd reports);
  DevChild(const DevChild&) = delete;
  DevChild& operator=(const DevChild&) = delete;

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] int fd() const { return reports_fd_.get(); }
  void order(std::string_view word) const { LineWriter(orders_.get()).say(word); }
  /// The reports since the last call; see LineReader.
  std::vector<std::string> take(std::chrono::milliseconds limit) { return reports_.take(limit); }
  [[nodiscard]] bool ended() const { return reports_.ended(); }
  /// Ends the orders, waits for the end, and kills the child if that does not come. "exit status
  /// 1", "SIGSEGV"; empty if it ended well.
  std::string end(std::chrono::milliseconds limit);

 private:
  ChildProcess process_;
  UniqueFd orders_;
  UniqueFd reports_fd_;
  LineReader reports_;
};

}  // namespace davit::host

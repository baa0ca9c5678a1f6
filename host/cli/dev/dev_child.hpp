/// A part of `davit dev` in a process of its own, so that a plugin that crashes takes nothing with
/// it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/unique_fd.hpp"

namespace davit::host {

/// Lines from one process to another. Writing may be done on any thread.
class LineWriter {
 public:
  /// `fd` is borrowed.
  explicit LineWriter(int fd) : fd_(fd) {}
  /// A word that says what it is, and its text.
  void say(std::string_view word, std::string_view text = "") const;

 private:
  int fd_;
};
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  /// Whole lines that have come, waiting for the first at most so long. After the last one ended()
  /// is true.
  std::vector<std::string> take(std::chrono::milliseconds limit);
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  std::string rest_;
};

/// A child that takes orders and reports. One thread.
class DevChild {
 public:
  /// What the child does; it ends when this returns, and should do so when `orders` have ended.
  using Work = std::function<void(LineReader& orders, const LineWriter& reports)>;

  /// Null: no process can be started. This process has one thread only.
  [[nodiscard]] static std::unique_ptr<DevChild> start(const Work& work);
  DevChild(pid_t pid, UniqueFd orders, UniqueFd reports);
  ~DevChild();
  DevChild(const DevChild&) = delete;
  DevChild& operator=(const DevChild&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int fd() const { return reports_fd_.get(); }
  void order(std::string_view word) const { LineWriter(orders_.get()).say(word); }
  /// What it reported since the last call; see LineReader.
  std::vector<std::string> take(std::chrono::milliseconds limit) { return reports_.take(limit); }
  [[nodiscard]] bool ended() const { return reports_.ended(); }
  /// Ends the orders, waits for the end, and kills it when that does not come. "exit status 1",
  /// "SIGSEGV"; empty when it ended well.
  std::string end(std::chrono::milliseconds limit);

 private:
  pid_t pid_;
  UniqueFd orders_;
  UniqueFd reports_fd_;
  LineReader reports_;
};

}  // namespace davit::host

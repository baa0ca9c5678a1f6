/// Lines of text between processes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Writes lines to a pipe. Any thread.
class LineWriter {
 public:
  /// `fd` is borrowed.
  explicit LineWriter(int fd) : fd_(fd) {}

  /// Writes a word for the kind of the line, a space and `text`. Line breaks in it become spaces,
  /// and a line is cut to the size below which a pipe does not mix it with lines of other threads
  /// (PIPE_BUF). Does nothing if the reader has gone.
  void say(std::string_view word, std::string_view text = "") const;

 private:
  int fd_;
};

/// Reads lines from a pipe. One thread.
class LineReader {
 public:
  /// `fd` is borrowed.
  explicit LineReader(int fd) : fd_(fd) {}

  /// Returns the lines that have come, and waits for the first at most `limit`. One call returns
  /// about 64 KiB at most, and cuts a line that is longer. Text after the last line break is a line
  /// once the writers have closed the pipe.
  [[nodiscard]] std::vector<std::string> take(std::chrono::milliseconds limit);
  /// Whether take() has returned the last line.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
  std::string rest_;  // The text after the last line break.
};

}  // namespace davit

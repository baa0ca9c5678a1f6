/// Frames between a host and a child process, over a pair of sockets that keeps packets apart.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// One end. Never blocks: the owner polls fd(). Sending and receiving may be on different threads,
/// each on one at a time.
class FrameChannel {
 public:
  /// A connected pair; programs that are started inherit neither.
  struct Pair;
  /// kUnavailable: the system has no descriptors left.
  [[nodiscard]] static Result<Pair> open();

  /// Takes over an end of such a pair.
  explicit FrameChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  /// Sends a frame of at most kFrameBytesMax, and a copy of `descriptor` with it unless that is -1.
  /// kUnavailable: the other side does not read, and the buffer is full. kCancelled: it has ended.
  [[nodiscard]] Status send(std::string_view frame, int descriptor = -1);

  struct Received {
    std::string frame;
    UniqueFd descriptor;  ///< That came with it; invalid: none did.
  };
  /// Whether a frame may have a descriptor. The kernel keeps what is sent until it is received, so
  /// the side that expects none refuses, and closes, what comes.
  enum class Descriptors { kRefused, kOne };
  /// The next frame; nothing if none has arrived. kCancelled: the other side has ended.
  /// kInvalid: a frame is too long, or has descriptors that it may not have.
  [[nodiscard]] Result<std::optional<Received>> receive(Descriptors descriptors);

  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  UniqueFd socket_;
};

struct FrameChannel::Pair {
  FrameChannel host;
  FrameChannel child;
};

}  // namespace davit::host

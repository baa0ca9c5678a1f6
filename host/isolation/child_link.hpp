/// The child's side of the conversation with its host.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "host/isolation/frame_channel.hpp"
#include "host/isolation/messages.hpp"
#include "host/transport/socket_source.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A child's end of the channel to its host. The owner receives by await_token() until start(),
/// and a thread of the link afterwards; from then on this is thread-safe.
class ChildLink {
 public:
  /// `on_end` is called once, on any thread, when the host has ended or breaks the protocol: the
  /// process should end at once. `clock` outlives this.
  ChildLink(FrameChannel channel, Clock& clock, std::function<void()> on_end);
  ~ChildLink();
  ChildLink(const ChildLink&) = delete;
  ChildLink& operator=(const ChildLink&) = delete;

  /// `answer` gets each question with the bytes that belong to it, on the link's thread, and must
  /// not block. Before start().
  void on_ask(std::function<void(Ask ask, std::string bytes)> answer) {
    on_ask_ = std::move(answer);
  }
  /// Waits for the first token. kCancelled: the host has ended; kInvalid: it sent something else.
  [[nodiscard]] Status await_token();
  /// Starts the thread.
  [[nodiscard]] Status start();

  /// Sends a message. Waits for a host that does not read; kUnavailable after ten seconds.
  [[nodiscard]] Status say(const ChildMessage& message) EXCLUDES(send_mutex_);

  /// A SocketSource: asks the host for a connection, and waits for it.
  [[nodiscard]] Result<UniqueFd> connect(const SocketAddress& server) EXCLUDES(mutex_);
  /// The latest token.
  [[nodiscard]] std::string token() const EXCLUDES(mutex_);
  /// Lets writes pass until the time that the host has sent last.
  [[nodiscard]] Status may_write() const;
  /// Requested when the host wants the child to end.
  [[nodiscard]] std::stop_token draining() const { return drain_.get_token(); }

 private:
  struct Wish {
    bool is_answered = false;
    std::string failure;
    UniqueFd socket;
  };

  void receive(const std::stop_token& stop);
  /// Acts on what has come. False: the conversation is over.
  bool take(FrameChannel::Received received);
  void answer(const Connected& message, UniqueFd socket) EXCLUDES(mutex_);

  // Fixed after construction.
  Clock& clock_;
  const std::function<void()> on_end_;
  std::function<void(Ask, std::string)> on_ask_;  // Fixed at start(); empty: nothing is answered.

  FrameChannel channel_;
  std::map<std::uint32_t, std::string> parts_;  // Keyed by a question's id. The thread's.
  Mutex send_mutex_;
  mutable Mutex mutex_;
  CondVar answered_;
  std::uint32_t next_id_ GUARDED_BY(mutex_) = 1;
  std::map<std::uint32_t, Wish> wishes_ GUARDED_BY(mutex_);
  std::string token_ GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> may_write_until_{0};
  std::stop_source drain_;
  UniqueFd wake_;        // Ends the thread's wait.
  std::jthread thread_;  // Last: it uses the rest.
};

}  // namespace davit::host

/// The Unix socket over which `davit ctl` speaks with a running host: one line asks, one answers.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A socket of mode 0600 that answers only its own user and root. The socket is removed at the end.
class ControlServer {
 public:
  /// Called on a thread of the connection; blocks as long as it likes.
  using Answer = std::function<std::string(std::string_view line)>;

  /// Listens at `path`. A socket that nobody listens at is replaced; kAlreadyExists when somebody
  /// does, or when something else is there; kUnavailable when the system gives no socket or no
  /// thread.
  static Result<std::unique_ptr<ControlServer>> open(const std::string& path, Answer answer,
                                                     Log log);
  /// `listening` listens at `path`; nothing is accepted yet. See open().
  ControlServer(std::string path, UniqueFd listening, Answer answer, Log log);
  /// Takes no further connection, and waits for the responses under way to be made, not to be read.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Connection;

  [[nodiscard]] bool start();
  void accept_all(const std::stop_token& stop);
  void serve(int fd) const;

  const std::string path_;
  const UniqueFd listening_;
  const UniqueFd stopping_;  // An eventfd that ends all waits.
  const Answer answer_;
  const Log log_;
  std::list<Connection> connections_;  // Of the accepting thread.
  std::jthread accepting_;             // Last: it uses the others.
};

/// Sends a line to the host that listens at `path` and returns its line. kNotFound: nobody listens
/// there.
[[nodiscard]] Result<std::string> ask_host(const std::string& path, std::string_view line);

/// Where a host listens when nobody says otherwise: davit.sock in $XDG_RUNTIME_DIR; empty without
/// that.
[[nodiscard]] std::string default_control_socket();

}  // namespace davit::host

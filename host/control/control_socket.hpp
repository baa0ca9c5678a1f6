/// The Unix socket between `davit ctl` and a running host: one line for the request, one for the
/// response.
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

/// A socket of mode 0600 that serves only its own user and root. The socket is removed at the end.
class ControlServer {
 public:
  /// Called on a thread of the connection; blocks as long as it likes.
  using Respond = std::function<std::string(std::string_view line)>;

  /// Listens at `path`, and replaces a socket without a listener. kAlreadyExists if another process
  /// listens there or the path is something else; kUnavailable if the system provides no socket or
  /// no thread.
  static Result<std::unique_ptr<ControlServer>> open(const std::string& path, Respond respond,
                                                     Logger log);
  /// `listening` listens at `path`; nothing is accepted yet. See open().
  ControlServer(std::string path, UniqueFd listening, Respond respond, Logger log);
  /// Accepts no further connection, and waits until the responses in progress have been made, not
  /// until they are read.
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
  const Respond respond_;
  const Logger log_;
  std::list<Connection> connections_;  // Used by the accepting thread only.
  std::jthread accepting_;             // Last: it uses the others.
};

/// Sends a line to the host that listens at `path` and returns its line. kNotFound: there is no
/// listener.
[[nodiscard]] Result<std::string> ask_host(const std::string& path, std::string_view line);

/// The place of the socket of a host that runs as a service.
inline constexpr std::string_view kServiceSocket = "/run/davit/davit.sock";

/// $XDG_RUNTIME_DIR, where the next two look for the socket of a host of this user; empty if it is
/// not set.
[[nodiscard]] std::string runtime_directory();

/// The default path of a host's socket: davit.sock in `runtime_directory`, or `service` if that is
/// empty or relative.
[[nodiscard]] std::string default_control_socket(std::string_view runtime_directory,
                                                 std::string_view service = kServiceSocket);

/// The path at which `davit ctl` finds a host by itself: the default one, or `service` if only that
/// exists, as after a login, which sets $XDG_RUNTIME_DIR, on a machine where davit is a service.
[[nodiscard]] std::string find_control_socket(std::string_view runtime_directory,
                                              std::string_view service = kServiceSocket);

/// Creates the folder of a default path if it is missing. The reason when it cannot.
[[nodiscard]] Status make_socket_folder(const std::string& path);

}  // namespace davit::host

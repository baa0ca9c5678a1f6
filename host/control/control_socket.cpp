#include "host/control/control_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "host/control/control_request.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// A request is a path and some words.
constexpr std::size_t kLineBytesMax = 64 * 1024;
/// The time limit of a client for its request, and for each piece of the response.
constexpr int kRequestMilliseconds = 5000;
/// Long enough for descriptors to be closed, short enough for a person who waits.
constexpr int kAcceptPauseMilliseconds = 1000;
/// Enough for a status beside a swap; more at once is a mistake somewhere.
constexpr std::size_t kConnectionsMax = 16;

std::string reason(int error) { return std::generic_category().message(error); }

std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

UniqueFd connect_to(const sockaddr_un& address) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.valid() &&
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

/// Writes all of `text`. `more` waits until the socket is writable; false ends the write.
template <typename More>
Status write_all(int fd, std::string_view text, More more) {
  while (!text.empty()) {
    if (!more()) return Status(Code::kCancelled, "the peer does not read");
    const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return Status(Code::kUnavailable, reason(errno));
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

/// Up to the first line end; kInvalid for a longer line than `bytes_max`. `more` waits until there
/// is something to read; false ends it.
template <typename More>
Result<std::string> read_line(int fd, std::size_t bytes_max, More more) {
  std::string line;
  std::array<char, 4096> piece{};
  while (more()) {
    const ssize_t got = ::recv(fd, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status(Code::kUnavailable, reason(errno));
    line.append(piece.data(), static_cast<std::size_t>(got));
    const std::size_t end = line.find('\n');
    if (std::min(end, line.size()) > bytes_max) {
      return Status(Code::kInvalid,
                    "the line is longer than " + std::to_string(bytes_max) + " bytes");
    }
    if (end != std::string::npos) return line.substr(0, end);
    if (got == 0) return Status(Code::kUnavailable, "the peer closed the connection");
  }
  return Status(Code::kCancelled, "nothing came");
}

/// Whether the peer may give orders: the user that we run as, or root.
bool may_ask(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace

struct ControlServer::Connection {
  UniqueFd fd;
  std::atomic<bool> ended{false};
  std::jthread thread;
};

Result<std::unique_ptr<ControlServer>> ControlServer::open(const std::string& path, Respond respond,
                                                           Logger log) {
  const auto refuse = [&](Code code, const std::string& why) {
    return Status(code, "control socket " + path + ": " + why);
  };
  const std::optional<sockaddr_un> address = address_of(path);
  if (!address) return refuse(Code::kInvalid, "the path is too long");
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) return refuse(Code::kAlreadyExists, "it is a file, not a socket");
    if (connect_to(*address).valid()) {
      return refuse(Code::kAlreadyExists, "another host listens there");
    }
    ::unlink(path.c_str());
  }
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return refuse(Code::kUnavailable, reason(errno));
  // The mode of the descriptor becomes that of the file, so no other user can open it in between.
  if (::fchmod(fd.get(), 0600) != 0 ||
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(fd.get(), kConnectionsMax) != 0) {
    return refuse(Code::kUnavailable, reason(errno));
  }
  auto server =
      std::make_unique<ControlServer>(path, std::move(fd), std::move(respond), std::move(log));
  if (!server->start()) return refuse(Code::kUnavailable, "cannot start a thread to listen");
  return server;
}

ControlServer::ControlServer(std::string path, UniqueFd listening, Respond respond, Logger log)
    : path_(std::move(path)),
      listening_(std::move(listening)),
      stopping_(::eventfd(0, EFD_CLOEXEC)),
      respond_(std::move(respond)),
      log_(std::move(log)) {}

bool ControlServer::start() {
  return start_thread(accepting_, "control",
                      [this](const std::stop_token& stop) { accept_all(stop); });
}

ControlServer::~ControlServer() {
  ::unlink(path_.c_str());
  accepting_.request_stop();
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its end.
  [[maybe_unused]] const ssize_t written = ::write(stopping_.get(), &one, sizeof one);
  if (accepting_.joinable()) accepting_.join();
  connections_.clear();
}

void ControlServer::accept_all(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> ready = {{{listening_.get(), POLLIN, 0}, {stopping_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) <= 0 || (ready[0].revents & POLLIN) == 0) continue;
    UniqueFd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd.valid() && errno != EINTR && errno != ECONNABORTED) {
      // Probably out of descriptors: the connection stays queued, and poll() reports it again at
      // once.
      log_.warning("Cannot accept a connection of davit ctl", {{"err", reason(errno)}});
      (void)::poll(&ready[1], 1, kAcceptPauseMilliseconds);
      continue;
    }
    connections_.remove_if([](const Connection& each) { return each.ended.load(); });
    if (!fd.valid() || connections_.size() >= kConnectionsMax) continue;
    if (!may_ask(fd.get())) {
      log_.warning(
          "Refused a connection to the control socket: only this host's user and root may use it");
      continue;
    }
    Connection& made = connections_.emplace_back();
    made.fd = std::move(fd);
    const auto serving = [this, &made] {
      serve(made.fd.get());
      made.ended.store(true);
    };
    if (!start_thread(made.thread, "ctl", serving)) {
      connections_.pop_back();
      log_.warning("Cannot serve a connection of davit ctl", {{"err", "cannot start a thread"}});
    }
  }
}

void ControlServer::serve(int fd) const {
  const auto wait_for = [this, fd](short what) {
    std::array<pollfd, 2> ready = {{{fd, what, 0}, {stopping_.get(), POLLIN, 0}}};
    return ::poll(ready.data(), ready.size(), kRequestMilliseconds) > 0 && ready[1].revents == 0;
  };
  const Result<std::string> line = read_line(fd, kLineBytesMax, [&] { return wait_for(POLLIN); });
  if (!line && line.error().code() != Code::kInvalid) return;
  // The client may have left since, or may not read: what it asked for is done all the
  // same.
  (void)write_all(fd, line ? respond_(*line) : refusal_line(line.error().message()),
                  [&] { return wait_for(POLLOUT); });
  ::shutdown(fd, SHUT_RDWR);
}

Result<std::string> ask_host(const std::string& path, std::string_view line) {
  const std::optional<sockaddr_un> address = address_of(path);
  const UniqueFd fd = address ? connect_to(*address) : UniqueFd();
  if (!fd.valid()) return Status(Code::kNotFound, "no davit host listens at " + path);
  const auto room = [&fd] {
    pollfd ready{fd.get(), POLLOUT, 0};
    return ::poll(&ready, 1, kRequestMilliseconds) > 0;
  };
  const Status sent = write_all(fd.get(), line, room);
  // The host may have refused the line before its end.
  if (!sent.ok() && sent.code() != Code::kUnavailable) return sent.with_context(path);
  // The time limit covers a swap with all its own limits; the response names every plugin.
  constexpr std::size_t kResponseBytesMax = std::size_t{16} << 20;
  Result<std::string> response = read_line(fd.get(), kResponseBytesMax, [] { return true; });
  if (!response) return (sent.ok() ? response.error() : sent).with_context(path);
  return response;
}

std::string runtime_directory() {
  const char* const value = std::getenv("XDG_RUNTIME_DIR");
  return value == nullptr ? "" : value;
}

std::string default_control_socket(std::string_view runtime_directory, std::string_view service) {
  if (!runtime_directory.starts_with('/')) return std::string(service);
  return std::string(runtime_directory) + "/davit.sock";
}

std::string find_control_socket(std::string_view runtime_directory, std::string_view service) {
  const std::string usual = default_control_socket(runtime_directory, service);
  std::error_code ignored;
  if (std::filesystem::exists(usual, ignored)) return usual;
  return std::filesystem::exists(service, ignored) ? std::string(service) : usual;
}

Status make_socket_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) return {};
  return {Code::kUnavailable, "cannot create " + folder.string() + ": " + failed.message() +
                                  "; set XDG_RUNTIME_DIR or pass --control-socket"};
}

}  // namespace davit::host

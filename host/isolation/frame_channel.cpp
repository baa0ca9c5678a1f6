#include "host/isolation/frame_channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <davit/mutant.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "host/isolation/messages.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

// One more than is allowed shows a second one. The kernel closes what does not fit, with a mark.
constexpr std::size_t kDescriptorsMax = 2;

using Control = std::array<char, CMSG_SPACE(kDescriptorsMax * sizeof(int))>;

Status socket_error(const char* what) {
  const Code code = errno == EPIPE || errno == ECONNRESET ? Code::kCancelled : Code::kUnavailable;
  return {code, std::string(what) + ": " + std::generic_category().message(errno)};
}

/// The descriptors of a packet, which are this process's from now on.
std::vector<UniqueFd> take_descriptors(msghdr& header) {
  std::vector<UniqueFd> out;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each) + i * sizeof(int), sizeof(int));
      out.emplace_back(descriptor);
    }
  }
  return out;
}

}  // namespace

Result<FrameChannel::Pair> FrameChannel::open() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    return socket_error("cannot create a pair of sockets");
  }
  return Pair{FrameChannel(UniqueFd(ends[0])), FrameChannel(UniqueFd(ends[1]))};
}

Status FrameChannel::send(std::string_view frame, int descriptor) {
  DAVIT_ASSERT(!frame.empty() && frame.size() <= kFrameBytesMax);
  iovec bytes{const_cast<char*>(frame.data()), frame.size()};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  alignas(cmsghdr) Control control{};
  if (descriptor >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int));
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(first), &descriptor, sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? socket_error("cannot send a frame") : Status();
}

Result<std::optional<FrameChannel::Received>> FrameChannel::receive(Descriptors descriptors) {
  std::string frame(kFrameBytesMax, '\0');
  iovec bytes{frame.data(), frame.size()};
  alignas(cmsghdr) Control control{};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t received = 0;
  do {
    received = recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::optional<Received>();
  if (received < 0) return socket_error("cannot receive a frame");
  std::vector<UniqueFd> came = take_descriptors(header);
  // An empty packet looks like the end, and no frame is empty.
  if (received == 0) return Status(Code::kCancelled, "the other process has ended");
  if ((header.msg_flags & MSG_TRUNC) != 0) return Status(Code::kInvalid, "a frame is too long");
  const std::size_t allowed =
      descriptors == Descriptors::kOne || mutant("child-descriptors") ? 1 : 0;
  if (came.size() > allowed || (header.msg_flags & MSG_CTRUNC) != 0) {
    return Status(Code::kInvalid, "a frame has descriptors that it may not have");
  }
  frame.resize(static_cast<std::size_t>(received));
  frame.shrink_to_fit();
  Received out{std::move(frame), came.empty() ? UniqueFd() : std::move(came.front())};
  return std::optional<Received>(std::move(out));
}

}  // namespace davit::host

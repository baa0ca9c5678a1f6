#include "host/isolation/child_link.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

using Descriptors = FrameChannel::Descriptors;

// The host reads at a limited rate; a line that is late is better than one that is lost.
constexpr int kSendWaitMs = 10'000;
// The host gives up connecting after 30 s.
constexpr Duration kConnectMax = std::chrono::seconds(40);
constexpr int kNoLimitMs = -1;

bool await(int fd, short events, int limit_ms) {
  pollfd wait{fd, events, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, limit_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

ChildLink::ChildLink(FrameChannel channel, Clock& clock, std::function<void()> on_end)
    : clock_(clock),
      on_end_(std::move(on_end)),
      channel_(std::move(channel)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ChildLink::~ChildLink() {
  thread_.request_stop();
  (void)eventfd_write(wake_.get(), 1);
}

Status ChildLink::await_token() {
  while (token().empty()) {
    (void)await(channel_.fd(), POLLIN, kNoLimitMs);
    Result<std::optional<FrameChannel::Received>> received =
        channel_.receive(Descriptors::kRefused);
    if (!received) return received.error();
    if (*received && !take(*std::move(*received))) {
      return {Code::kInvalid, "the host sent something that is not a message"};
    }
  }
  return {};
}

Status ChildLink::start() {
  if (start_thread(thread_, "link", [this](const std::stop_token& stop) { receive(stop); })) {
    return {};
  }
  return {Code::kUnavailable, "no thread is left"};
}

void ChildLink::receive(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> both = {{{channel_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    if (poll(both.data(), both.size(), kNoLimitMs) < 0 || both[0].revents == 0) continue;
    Result<std::optional<FrameChannel::Received>> received = channel_.receive(Descriptors::kOne);
    if (received && !*received) continue;
    if (!received || !take(*std::move(*received))) return on_end_();
  }
}

bool ChildLink::take(FrameChannel::Received received) {
  Result<HostMessage> message = decode_host_message(received.frame);
  if (!message) return false;
  if (auto* const token = std::get_if<Token>(&*message)) {
    MutexLock lock(mutex_);
    token_ = std::move(token->token);
  } else if (const auto* const until = std::get_if<MayWrite>(&*message)) {
    may_write_until_ = until->until_ns;
  } else if (const auto* const connected = std::get_if<Connected>(&*message)) {
    answer(*connected, std::move(received.descriptor));
  } else if (const auto* const part = std::get_if<AskPart>(&*message)) {
    parts_[part->id] += part->bytes;
  } else if (auto* const ask = std::get_if<Ask>(&*message)) {
    std::string bytes = std::move(parts_[ask->id]);
    parts_.erase(ask->id);
    if (on_ask_) on_ask_(std::move(*ask), std::move(bytes));
  } else if (std::holds_alternative<Drain>(*message)) {
    drain_.request_stop();
  } else {
    return false;
  }
  return true;
}

void ChildLink::answer(const Connected& message, UniqueFd socket) {
  MutexLock lock(mutex_);
  const auto found = wishes_.find(message.id);
  if (found == wishes_.end()) return;  // Its caller gave up.
  found->second = {true, message.failure, std::move(socket)};
  answered_.notify_all();
}

Status ChildLink::say(const ChildMessage& message) {
  const std::string frame = encode(message);
  MutexLock lock(send_mutex_);
  for (;;) {
    Status sent = channel_.send(frame);
    if (sent.code() != Code::kUnavailable) return sent;
    if (!await(channel_.fd(), POLLOUT, kSendWaitMs)) return sent;
  }
}

Result<UniqueFd> ChildLink::connect(const SocketAddress& server) {
  std::uint32_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    wishes_.try_emplace(id);
  }
  const auto port = static_cast<std::uint16_t>(std::strtoul(server.port.c_str(), nullptr, 10));
  const Status asked = say(Connect{id, server.host, port});
  const Time until = clock_.now() + kConnectMax;
  MutexLock lock(mutex_);
  while (asked.ok() && !wishes_[id].is_answered && clock_.now() < until) {
    clock_.wait_until(answered_, mutex_, until);
  }
  Wish wish = std::move(wishes_[id]);
  wishes_.erase(id);
  if (!asked.ok()) return asked;
  if (wish.socket.valid()) return std::move(wish.socket);
  return Status(Code::kUnavailable,
                wish.failure.empty() ? "the host does not connect" : wish.failure);
}

std::string ChildLink::token() const {
  MutexLock lock(mutex_);
  return token_;
}

Status ChildLink::may_write() const {
  const auto now = static_cast<std::uint64_t>(
      std::chrono::nanoseconds(clock_.boot_now().time_since_epoch()).count());
  if (now < may_write_until_ || mutant("isolated-fence")) return {};
  return {Code::kCancelled, "the host has not said that it leads"};
}

}  // namespace davit::host

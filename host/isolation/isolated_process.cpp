#include "host/isolation/isolated_process.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <fstream>
#include <utility>
#include <variant>

#include "host/isolation/child_program.hpp"
#include "host/isolation/sealed_file.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

using Phase = IsolatedProcessState::Phase;
using End = IsolatedProcessState::End;

// Tokens are renewed by the source; asking it costs nothing while one is good.
constexpr Duration kTokenPeriod = std::chrono::seconds(10);

Severity severity_of(ChildSeverity severity) {
  switch (severity) {
    case ChildSeverity::kInfo:
      return Severity::kInfo;
    case ChildSeverity::kWarning:
      return Severity::kWarning;
    case ChildSeverity::kError:
      return Severity::kError;
  }
  return Severity::kError;
}

/// The memory of a process that it does not share with others; nothing: it has ended.
std::optional<std::uint64_t> private_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
  if (!(file >> size >> resident >> shared) || shared > resident) return std::nullopt;
  static const auto kPageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (resident - shared) * kPageBytes;
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

Result<std::unique_ptr<IsolatedProcess>> IsolatedProcess::start(IsolatedProcessTerms terms,
                                                                IsolatedProcessSeams seams,
                                                                const UniqueFd& plugin) {
  Result<FrameChannel::Pair> pair = FrameChannel::open();
  if (!pair) return pair.error();
  // A file, because they may be longer than what a socket holds.
  const Result<UniqueFd> settings = make_sealed_file("settings", to_text(terms.settings));
  if (!settings) return settings.error();
  Result<ChildProcess> child = ChildProcess::start(
      ChildProcess::Program{.argv = {terms.program.string(), std::string(kIsolatedPluginArgument),
                                     std::string(to_string(terms.landlock))},
                            .captured = ChildProcess::Captured::kNothing,
                            .passed = {pair->child.fd(), plugin.get(), settings->get()}});
  if (!child) return child.error();
  return std::make_unique<IsolatedProcess>(std::move(terms), std::move(seams),
                                           std::move(pair->host), *std::move(child));
}

IsolatedProcess::IsolatedProcess(IsolatedProcessTerms terms, IsolatedProcessSeams seams,
                                 FrameChannel channel, ChildProcess child)
    : terms_(std::move(terms)),
      seams_(std::move(seams)),
      began_(seams_.clock.now()),
      channel_(std::move(channel)),
      child_(std::move(child)) {
  state_.pid = child_.pid();
}

void IsolatedProcess::step(std::chrono::milliseconds limit) {
  if (state_.phase == Phase::kEnded) return;
  std::array<pollfd, 2> both = {{{channel_.fd(), POLLIN, 0}, {child_.ended_fd(), POLLIN, 0}}};
  (void)poll(both.data(), both.size(), static_cast<int>(limit.count()));
  read_frames();
  check_time();
  check_memory();
  if (state_.phase == Phase::kLocked || state_.phase == Phase::kReady) send_what_is_due();
}

void IsolatedProcess::read_frames() {
  for (int i = 0; i < kFramesMax && state_.phase != Phase::kEnded; ++i) {
    Result<std::optional<FrameChannel::Received>> received =
        channel_.receive(FrameChannel::Descriptors::kRefused);
    if (received && !*received) return;
    if (!received && received.error().code() == Code::kCancelled) {
      const ExitStatus ended = child_.reap();
      const bool is_asked = ended.ok() && killed_at_;
      state_.end = is_asked ? End::kAsked : End::kCrash;
      state_.signal = ended.text();
      state_.why_ended = is_asked ? "" : "it ended with " + state_.signal;
      state_.phase = Phase::kEnded;
      return;
    }
    if (!received) return end(received.error().message());
    const Result<ChildMessage> message = decode_child_message((*received)->frame);
    if (!message) return end(message.error().message());
    act(*message);
  }
}

void IsolatedProcess::act(const ChildMessage& message) {
  const bool is_first = state_.phase == Phase::kStarting;
  if (is_first != std::holds_alternative<Locked>(message)) {
    return end("it sent its messages in the wrong order");
  }
  std::visit([this](const auto& each) { act_on(each); }, message);
}

void IsolatedProcess::act_on(const Locked& message) {
  if (message.protocol != kIsolationProtocol) return end("it is another version of davit");
  if (message.landlock_version == 0 && terms_.landlock == LandlockNeed::kRequired) {
    return end("it is not locked");
  }
  state_.lock = message;
  state_.phase = Phase::kLocked;
}

void IsolatedProcess::act_on(const Ready& /*message*/) { state_.phase = Phase::kReady; }

void IsolatedProcess::act_on(const LogLine& message) {
  const std::string text = printable(message.text);
  const std::array<LogPair, 1> fields = {LogPair("plugin", terms_.settings.plugin)};
  seams_.log.write(severity_of(message.severity), 0, text, fields);
}

void IsolatedProcess::act_on(const ControllerReport& message) {
  const auto& known = terms_.settings.controllers;
  const bool is_known = std::any_of(known.begin(), known.end(), [&message](const auto& each) {
    return each.name == message.controller;
  });
  if (!is_known) return end("it reports on a controller that it does not have");
  ControllerReport& kept = state_.reports[message.controller];
  kept = message;
  kept.state = printable(message.state);
  kept.reason = printable(message.reason);
}

void IsolatedProcess::act_on(const Connect& message) {
  const SocketAddress wanted{message.server, std::to_string(message.port)};
  if (!terms_.may_connect(wanted) && !mutant("isolated-servers")) {
    if (!std::exchange(has_reported_server_, true)) {
      seams_.log.warning(
          "An isolated plugin asks for a server that it does not declare",
          {{"plugin", terms_.settings.plugin}, {"server", wanted.host + ":" + wanted.port}});
    }
    return send(Connected{message.id, "the plugin does not declare this server"});
  }
  const Result<UniqueFd> socket = seams_.dial(wanted);
  if (socket) return send(Connected{message.id, ""}, socket->get());
  send(Connected{message.id, socket.error().message().substr(0, kReasonBytesMax)});
}

void IsolatedProcess::act_on(const Drained& /*message*/) {
  if (!killed_at_) end("it ends by itself");
}

void IsolatedProcess::act_on(const Failed& message) {
  end("it cannot serve: " + printable(message.reason), End::kFailed);
}

void IsolatedProcess::send(const HostMessage& message, int descriptor) {
  const Status sent = channel_.send(encode(message), descriptor);
  if (!sent.ok() && sent.code() != Code::kCancelled) end("it does not read its messages");
}

void IsolatedProcess::send_what_is_due() {
  // Before the token, with which the child begins.
  if (const BootTime until = seams_.may_write_until();
      std::exchange(may_write_until_, until) != until) {
    const auto ns = std::chrono::nanoseconds(until.time_since_epoch()).count();
    send(MayWrite{static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0))});
  }
  const Time now = seams_.clock.now();
  if (now >= token_due_) {
    token_due_ = now + kTokenPeriod;
    const Result<std::string> token = seams_.token();
    if (!token) {
      seams_.log.warning("Cannot get a token for an isolated plugin",
                         {{"plugin", terms_.settings.plugin}, {"err", token.error().message()}});
    } else if (*token != token_) {
      token_ = *token;
      send(Token{token_});
    }
  }
}

void IsolatedProcess::check_time() {
  if (state_.phase == Phase::kEnded) return;
  const Time now = seams_.clock.now();
  if (killed_at_ && now >= *killed_at_) return end("it did not end in time");
  if (state_.phase == Phase::kStarting && now >= began_ + kLockMax) {
    return end("it did not lock itself in time", End::kFailed);
  }
  if (state_.phase == Phase::kLocked && now >= began_ + kStartMax) {
    end("its caches were not filled in time", End::kFailed);
  }
}

void IsolatedProcess::drain(Duration limit) {
  killed_at_ = seams_.clock.now() + limit;
  send(Drain{});
}

void IsolatedProcess::check_memory() {
  if (state_.phase == Phase::kEnded) return;
  state_.memory_bytes = private_bytes(child_.pid()).value_or(0);
  const bool is_within = state_.memory_bytes <= terms_.memory_bytes || mutant("isolated-memory");
  if (terms_.memory_bytes == 0 || is_within) return;
  end("it used " + mebibytes(state_.memory_bytes) + " of memory; its limit is " +
      mebibytes(terms_.memory_bytes));
}

void IsolatedProcess::end(std::string why, End how) {
  if (state_.phase == Phase::kEnded) return;
  child_.kill();
  (void)child_.reap();
  state_.phase = Phase::kEnded;
  state_.end = how;
  state_.signal = "killed";
  state_.why_ended = std::move(why);
}

}  // namespace davit::host

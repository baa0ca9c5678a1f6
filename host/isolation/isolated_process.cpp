#include "host/isolation/isolated_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <sstream>
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

// The stacks of as many threads as a large plugin has, 8 MiB each: RLIMIT_DATA counts them whole.
constexpr std::uint64_t kStackBytes = std::uint64_t{64} * 8 << 20;

/// The memory of a process, as the kernel counts it.
struct MemoryUse {
  std::uint64_t private_bytes = 0;  ///< Resident, and not shared with others.
  std::uint64_t data_bytes = 0;     ///< May be written, resident or not: see RLIMIT_DATA.
};

UniqueFd open_memory(const std::filesystem::path& proc, pid_t process) {
  const std::filesystem::path file = proc / std::to_string(process) / "statm";
  return UniqueFd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

/// Nothing: it has ended.
std::optional<MemoryUse> memory_of(const UniqueFd& statm) {
  std::array<char, 256> text{};  // Seven numbers.
  const ssize_t length = pread(statm.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  std::istringstream numbers(std::string(text.data(), static_cast<std::size_t>(length)));
  std::array<std::uint64_t, 6> pages{};  // proc_pid_statm(5): size, resident, shared, …, data.
  for (std::uint64_t& each : pages) {
    if (!(numbers >> each)) return std::nullopt;
  }
  static const auto kPageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto [size, resident, shared, code, unused, data] = pages;
  if (shared > resident) return std::nullopt;
  return MemoryUse{(resident - shared) * kPageBytes, data * kPageBytes};
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
      child_(std::move(child)),
      memory_(open_memory(seams_.proc, child_.pid())),
      begins_(terms_.begin == IsolatedProcessTerms::Begin::kAtOnce) {
  state_.pid = child_.pid();
}

void IsolatedProcess::step(std::chrono::milliseconds limit) {
  if (state_.phase == Phase::kEnded) return;
  wait(limit);
  read_frames();
  report_left_out();
  check_time();
  check_memory();
  if (state_.phase == Phase::kLocked || state_.phase == Phase::kReady) {
    send_what_is_due();
    flush();
  }
}

void IsolatedProcess::wait(std::chrono::milliseconds limit) {
  const bool reads = frames_.left(seams_.clock.now()) > 0;
  const bool sends = !outgoing_.empty() || !questioned_.empty();
  const auto events = static_cast<short>((reads ? POLLIN : 0) | (sends ? POLLOUT : 0));
  std::array<pollfd, 3> all = {{{events == 0 ? -1 : channel_.fd(), events, 0},
                                {child_.ended_fd(), POLLIN, 0},
                                {seams_.wake, POLLIN, 0}}};
  (void)poll(all.data(), all.size(), static_cast<int>(limit.count()));
  if ((all[2].revents & POLLIN) == 0) return;
  eventfd_t count = 0;
  (void)eventfd_read(seams_.wake, &count);
}

void IsolatedProcess::read_frames() {
  for (int i = 0; i < kFramesMax && state_.phase != Phase::kEnded; ++i) {
    if (!frames_.take(seams_.clock.now())) return;
    Result<std::optional<FrameChannel::Received>> received =
        channel_.receive(FrameChannel::Descriptors::kRefused);
    if (received && !*received) return;
    if (!received && received.error().code() == Code::kCancelled) return take_end();
    if (!received) return end(received.error().message());
    const Result<ChildMessage> message = decode_child_message((*received)->frame);
    if (!message) return end(message.error().message());
    act(*message);
  }
}

void IsolatedProcess::take_end() {
  const bool has_ended = child_.wait_until(std::chrono::steady_clock::now() + kEndMax);
  if (!has_ended) return end("it closed its connection to the host");
  const ExitStatus ended = child_.reap();
  const bool is_asked = ended.ok() && killed_at_;
  state_.end = is_asked ? End::kAsked : End::kCrash;
  state_.signal = ended.text();
  state_.why_ended = is_asked ? "" : "it ended with " + state_.signal;
  state_.phase = Phase::kEnded;
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
  limit_data();
}

void IsolatedProcess::act_on(const Ready& /*message*/) { state_.phase = Phase::kReady; }

void IsolatedProcess::act_on(const LogLine& message) {
  if (!lines_.take(seams_.clock.now())) return;
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
  Result<UniqueFd> socket = seams_.dial(wanted);
  if (socket) return send(Connected{message.id, ""}, *std::move(socket));
  send(Connected{message.id, socket.error().message().substr(0, kReasonBytesMax)});
}

void IsolatedProcess::act_on(const Drained& /*message*/) {
  if (!killed_at_) end("it ends by itself");
}

void IsolatedProcess::act_on(const Failed& message) {
  end("it cannot serve: " + printable(message.reason), End::kFailed);
}

void IsolatedProcess::act_on(const AnswerPart& message) {
  if (!questions_.take(message)) end("it sent more of an answer than was asked for");
}

void IsolatedProcess::act_on(const Answer& message) {
  if (!questions_.take(message)) end("it answered what was not asked");
}

std::uint32_t IsolatedProcess::ask(Question question) {
  const std::uint32_t id = questions_.add(question.answer_bytes_max);
  if (id == 0) {
    end("it does not answer");
    return id;
  }
  for (std::string_view rest = question.bytes; !rest.empty();) {
    const std::string_view part = rest.substr(0, kPartBytesMax);
    questioned_.push_back(encode(HostMessage(AskPart{id, std::string(part)})));
    rest.remove_prefix(part.size());
  }
  questioned_.push_back(
      encode(HostMessage(Ask{id, question.kind, std::move(question.text), question.form})));
  return id;
}

void IsolatedProcess::send(const HostMessage& message, UniqueFd descriptor) {
  if (outgoing_.size() >= kUnreadMax) return end("it does not read its messages");
  outgoing_.push_back({encode(message), std::move(descriptor)});
}

void IsolatedProcess::flush() {
  const auto is_sent = [this](const std::string& frame, int descriptor) {
    // A child that has ended is seen when its last frames are read.
    return channel_.send(frame, descriptor).code() != Code::kUnavailable;
  };
  while (!outgoing_.empty()) {
    const Outgoing& first = outgoing_.front();
    if (!is_sent(first.frame, first.descriptor.valid() ? first.descriptor.get() : -1)) return;
    outgoing_.pop_front();
  }
  while (!questioned_.empty() && is_sent(questioned_.front(), -1)) questioned_.pop_front();
}

void IsolatedProcess::send_what_is_due() {
  // The child begins with the token, and then needs the deadline.
  if (begins_) send_deadline();
  send_token();
  if (!begins_ || token_.empty() || std::exchange(has_begun_, true)) return;
  (void)ask({.kind = AskKind::kBegin, .answer_bytes_max = kReasonBytesMax});
}

void IsolatedProcess::send_deadline() {
  const BootTime until = seams_.may_write_until();
  if (std::exchange(may_write_until_, until) == until) return;
  const auto ns = std::chrono::nanoseconds(until.time_since_epoch()).count();
  send(MayWrite{static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0))});
}

void IsolatedProcess::send_token() {
  const Time now = seams_.clock.now();
  if (now < token_due_) return;
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

void IsolatedProcess::report_left_out() {
  if (lines_.left(seams_.clock.now()) == 0) return;
  const std::size_t count = lines_.take_refused();
  if (count == 0) return;
  seams_.log.warning("Log lines of an isolated plugin are left out, because there are too many",
                     {{"plugin", terms_.settings.plugin}, {"lines", count}});
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
  flush();
}

void IsolatedProcess::limit_data() {
  if (terms_.memory_bytes == 0) return;
  if (!memory_.valid() && !mutant("isolated-unseen")) {
    return end("its memory cannot be limited, because /proc does not show the process",
               End::kFailed);
  }
  const std::optional<MemoryUse> now = memory_of(memory_);
  if (!now || mutant("isolated-data")) return;
  const rlim_t most = now->data_bytes + terms_.memory_bytes + kStackBytes;
  const rlimit limit{most, most};
  if (prlimit(child_.pid(), RLIMIT_DATA, &limit, nullptr) == 0) return;
  seams_.log.warning("Cannot set RLIMIT_DATA of an isolated plugin",
                     {{"plugin", terms_.settings.plugin}});
}

void IsolatedProcess::check_memory() {
  if (state_.phase == Phase::kEnded) return;
  const std::optional<MemoryUse> now = memory_of(memory_);
  state_.memory_bytes = now ? now->private_bytes : 0;
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

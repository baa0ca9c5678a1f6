/// A child process that runs no plugin: it keeps to the protocol, or breaks it, as its own name
/// says.
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/isolation/child_link.hpp"
#include "host/isolation/child_program.hpp"
#include "host/isolation/child_settings.hpp"
#include "lib/base/await_stop.hpp"

namespace davit::host {
namespace {

[[noreturn]] void end() { std::_Exit(3); }

/// A child that has said that it is locked and has its settings.
class FakeChild {
 public:
  FakeChild() : link_(FrameChannel(UniqueFd(kChannelDescriptor)), *clock_, end) {}

  /// False: the host did not send what it should.
  bool begin() {
    if (!link_.say(Locked{}).ok()) return false;
    if (!read_child_settings(kSettingsDescriptor)) return false;
    return link_.await_token().ok() && link_.start().ok();
  }
  void ready() { (void)link_.say(Ready{}); }
  void log(const std::string& text) { (void)link_.say(LogLine{ChildSeverity::kInfo, text}); }
  void await(const std::function<bool()>& holds) {
    while (!holds()) (void)await_stop(*clock_, clock_->now() + std::chrono::milliseconds(10), {});
  }
  int await_drain() {
    (void)await_stop(*clock_, Time::max(), link_.draining());
    (void)link_.say(Drained{});
    return 0;
  }
  ChildLink& link() { return link_; }

 private:
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  ChildLink link_;
};

int good() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.ready();
  child.log("token " + child.link().token());
  return child.await_drain();
}

int connects() {
  FakeChild child;
  if (!child.begin()) return 4;
  const Result<UniqueFd> socket = child.link().connect({"127.0.0.1", std::getenv("FAKE_PORT")});
  std::string text = "nothing";
  if (socket) {
    text.assign(16, '\0');
    pollfd wait{socket->get(), POLLIN, 0};
    (void)poll(&wait, 1, -1);
    text.resize(
        static_cast<std::size_t>(std::max<ssize_t>(0, read(socket->get(), text.data(), 16))));
  }
  const Result<UniqueFd> other = child.link().connect({"192.0.2.1", "443"});
  child.log("read " + text + ", other: " + other.error().message());
  return child.await_drain();
}

int writes() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.log(child.link().may_write().ok() ? "may write" : "may not write");
  return child.await_drain();
}

int floods() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.ready();
  for (;;) child.log(std::string(kLogLineBytesMax, 'x'));
}

/// Says what it may allocate: the memory limit, or much more than that.
int grabs() {
  FakeChild child;
  if (!child.begin()) return 4;
  const auto outcome = [](std::size_t mebibytes) {
    void* const got =
        mmap(nullptr, mebibytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) return "refused";
    munmap(got, mebibytes << 20);
    return "granted";
  };
  child.log(std::string("limit ") + outcome(512) + ", more " + outcome(2048));
  return child.await_drain();
}

int renews() {
  FakeChild child;
  if (!child.begin()) return 4;
  const std::string first = child.link().token();
  child.log("first " + first);
  child.await([&] { return child.link().token() != first; });
  child.log("then " + child.link().token());
  return child.await_drain();
}

int closes_its_channel() {
  FrameChannel channel{UniqueFd(kChannelDescriptor)};
  (void)channel.send(encode(ChildMessage(Locked{})));
  shutdown(channel.fd(), SHUT_RDWR);
  for (;;) pause();
}

/// Answers the first question with the text of it and the size of its bytes.
int answers() {
  FakeChild child;
  child.link().on_ask([&child](const Ask& ask, const std::string& bytes) {
    if (ask.kind == AskKind::kBegin) return;
    const std::string text = ask.text + " " + std::to_string(bytes.size());
    (void)child.link().say(AnswerPart{ask.id, text});
    (void)child.link().say(Answer{ask.id, 200, ask.form, "text/plain"});
  });
  if (!child.begin()) return 4;
  child.ready();
  return child.await_drain();
}

int answers_too_much() {
  FakeChild child;
  child.link().on_ask([&child](const Ask& ask, const std::string&) {
    if (ask.kind == AskKind::kBegin) return;
    for (;;) (void)child.link().say(AnswerPart{ask.id, std::string(kPartBytesMax, 'x')});
  });
  if (!child.begin()) return 4;
  child.ready();
  return child.await_drain();
}

/// A build of a plugin with the state "seven", which it writes in the format 3. It logs what it is
/// asked, and answers a state of another build with `on_read`.
int build(std::uint16_t on_read) {
  FakeChild child;
  child.link().on_ask([&child, on_read](const Ask& ask, const std::string& bytes) {
    const auto answer = [&](std::uint16_t status, const std::string& body) {
      if (!body.empty()) (void)child.link().say(AnswerPart{ask.id, body});
      (void)child.link().say(Answer{ask.id, status, 3, "text/plain"});
    };
    switch (ask.kind) {
      case AskKind::kBegin:
        child.log("begins");
        return answer(200, "");
      case AskKind::kPage:
        return answer(200, "page " + ask.text);
      case AskKind::kWriteState:
        return answer(200, "seven");
      case AskKind::kReadState:
        child.log("reads " + bytes + " in format " + std::to_string(ask.form));
        return answer(on_read, on_read == 409 ? "too\nold" : "");
      case AskKind::kResume:
        child.log("resumes");
        return answer(200, "");
    }
  });
  if (!child.begin()) return 4;
  child.ready();
  return child.await_drain();
}

int answers_what_was_not_asked() {
  FakeChild child;
  if (!child.begin()) return 4;
  (void)child.link().say(Answer{4711, 200, 0, ""});
  return child.await_drain();
}

int stops_reading() {
  FrameChannel channel{UniqueFd(kChannelDescriptor)};
  (void)channel.send(encode(ChildMessage(Locked{})));
  for (;;) pause();
}

int sleeps() {
  for (;;) pause();
}

int sends_garbage() {
  FrameChannel channel{UniqueFd(kChannelDescriptor)};
  (void)channel.send("\xff garbage");
  for (;;) pause();
}

int sends_a_descriptor() {
  FrameChannel channel{UniqueFd(kChannelDescriptor)};
  (void)channel.send(encode(ChildMessage(Locked{})), 1);
  for (;;) pause();
}

int is_not_locked() {
  FrameChannel channel{UniqueFd(kChannelDescriptor)};
  (void)channel.send(encode(ChildMessage(Ready{})));
  for (;;) pause();
}

int crashes() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.ready();
  (void)raise(SIGKILL);
  return 0;
}

int fails() {
  FakeChild child;
  if (!child.begin()) return 4;
  (void)child.link().say(Failed{"no server\nresponds"});
  return child.await_drain();
}

int grows() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.ready();
  constexpr std::size_t kBytes = std::size_t{768} << 20;
  const std::vector<char> kept(kBytes, 'x');
  return child.await_drain() + (kept.back() == 'x' ? 0 : 1);
}

int reports() {
  FakeChild child;
  if (!child.begin()) return 4;
  (void)child.link().say(ControllerReport{"greeter-controller", "run\tning", 7, false, "a\nb"});
  child.ready();
  return child.await_drain();
}

int ignores_drain() {
  FakeChild child;
  if (!child.begin()) return 4;
  child.ready();
  for (;;) pause();
}

int names_a_foreign_controller() {
  FakeChild child;
  if (!child.begin()) return 4;
  (void)child.link().say(ControllerReport{"other-controller", "running", 0, true, ""});
  return child.await_drain();
}

const std::map<std::string, std::function<int()>>& behaviours() {
  static const std::map<std::string, std::function<int()>> kAll = {
      {"good", good},
      {"connects", connects},
      {"writes", writes},
      {"floods", floods},
      {"grabs", grabs},
      {"renews", renews},
      {"closes_its_channel", closes_its_channel},
      {"answers", answers},
      {"answers_too_much", answers_too_much},
      {"old_build", [] { return build(200); }},
      {"new_build", [] { return build(200); }},
      {"build_without_state", [] { return build(204); }},
      {"refusing_build", [] { return build(409); }},
      {"answers_what_was_not_asked", answers_what_was_not_asked},
      {"stops_reading", stops_reading},
      {"sends_garbage", sends_garbage},
      {"sends_a_descriptor", sends_a_descriptor},
      {"is_not_locked", is_not_locked},
      {"sleeps", sleeps},
      {"crashes", crashes},
      {"exits", [] { return 0; }},
      {"fails", fails},
      {"grows", grows},
      {"reports", reports},
      {"ignores_drain", ignores_drain},
      {"names_a_foreign_controller", names_a_foreign_controller}};
  return kAll;
}

}  // namespace
}  // namespace davit::host

int main(int argc, char** argv) {
  if (argc != 3 || argv[1] != davit::host::kIsolatedPluginArgument) return 2;
  const auto& all = davit::host::behaviours();
  const auto found = all.find(std::filesystem::path(argv[0]).filename().string());
  std::_Exit(found == all.end() ? 2 : found->second());
}

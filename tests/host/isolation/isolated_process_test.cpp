#include "host/isolation/isolated_process.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/isolation/dial.hpp"
#include "host/isolation/isolated_plugin.hpp"
#include "host/isolation/sealed_file.hpp"
#include "lib/base/random.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using Phase = IsolatedProcessState::Phase;
using testing::HasSubstr;

/// A free port of the loopback interface.
class Port {
 public:
  enum class Listens { kNo, kYes };
  explicit Port(Listens listens) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_.get(), name, size), 0);
    EXPECT_EQ(::getsockname(socket_.get(), name, &size), 0);
    text_ = std::to_string(ntohs(address.sin_port));
    if (listens == Listens::kYes) {
      EXPECT_EQ(::listen(socket_.get(), 1), 0);
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Says hello on the next connection. Not valid while no connection waits.
  [[nodiscard]] UniqueFd greet() const {
    UniqueFd accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (accepted.valid()) {
      EXPECT_EQ(::write(accepted.get(), "hello", 5), 5);
    }
    return accepted;
  }

 private:
  const UniqueFd socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  std::string text_;
};

/// A child that behaves as its name says; see fake_child.cpp. The clock stands still.
class IsolatedProcessTest : public testing::Test {
 protected:
  std::unique_ptr<IsolatedProcess> start(const std::string& behaviour) {
    const std::filesystem::path program = directory_.path() / behaviour;
    std::filesystem::create_symlink(DAVIT_FAKE_CHILD, program);
    IsolatedProcessTerms terms{
        .program = program,
        .landlock = LandlockNeed::kOptional,
        .settings = settings_,
        .memory_bytes = memory_bytes_,
        .may_connect = [this](const SocketAddress& to) { return to == server_; }};
    IsolatedProcessSeams seams{
        .clock = clock_,
        .log = Logger(sink_),
        .token = [this] { return Result<std::string>(token_); },
        .dial = [](const SocketAddress& to) { return dial(to, std::chrono::seconds(10)); },
        .may_write_until = [this] { return may_write_until_; },
        .proc = proc_};
    return IsolatedProcess::start(std::move(terms), std::move(seams), plugin_).value();
  }
  /// Steps until something holds or the process has ended.
  static void step_until(IsolatedProcess& process, const std::function<bool()>& holds) {
    while (process.state().phase != Phase::kEnded && !holds()) {
      process.step(std::chrono::milliseconds(100));
    }
  }
  /// The reason why a child with this behaviour ends.
  std::string end_of(const std::string& behaviour) {
    const auto process = start(behaviour);
    step_until(*process, [] { return false; });
    return process->state().why_ended;
  }
  [[nodiscard]] bool has_logged(const std::string& part) const {
    const std::vector<std::string> lines = sink_.lines();
    return std::any_of(lines.begin(), lines.end(), [&part](const std::string& each) {
      return each.find(part) != std::string::npos;
    });
  }

  TempDirectory directory_;
  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  const UniqueFd plugin_ = make_sealed_file("plugin", "content").value();
  ChildSettings settings_{.plugin = "greeter",
                          .path = "greeter.so",
                          .sha256 = "",
                          .controllers = {{"greeter-controller", 2, "{}"}},
                          .server = "https://10.0.0.1:6443",
                          .tls_server_name = "",
                          .ca = std::string(200'000, 'c'),  // More than a socket holds.
                          .manifest = ""};
  SocketAddress server_;
  std::string token_ = "secret-of-the-greeter";
  std::uint64_t memory_bytes_ = 0;
  std::filesystem::path proc_ = "/proc";
  BootTime may_write_until_{};
};

TEST_F(IsolatedProcessTest, ChildGetsItsSettingsAndTokenRunsAndEndsWhenAsked) {
  const auto process = start("good");
  step_until(*process, [&] { return has_logged("token secret-of-the-greeter"); });
  ASSERT_EQ(process->state().phase, Phase::kReady) << process->state().why_ended;

  process->drain(std::chrono::seconds(10));
  step_until(*process, [] { return false; });
  EXPECT_EQ(process->state().why_ended, "");
}

TEST_F(IsolatedProcessTest, ConnectionsAreMadeToDeclaredServersOnly) {
  const Port port(Port::Listens::kYes);
  server_ = {"127.0.0.1", port.text()};
  ::setenv("FAKE_PORT", port.text().c_str(), 1);
  const auto process = start("connects");
  UniqueFd accepted;
  step_until(*process, [&] {
    if (!accepted.valid()) accepted = port.greet();
    return has_logged("read ");
  });
  EXPECT_TRUE(has_logged("read hello, other: the plugin does not declare this server"));
  EXPECT_TRUE(has_logged("server=192.0.2.1:443"));
}

TEST_F(IsolatedProcessTest, WritesAreAllowedOnlyUntilTheTimeThatTheHostHasGiven) {
  const auto process = start("writes");
  step_until(*process, [&] { return has_logged("write"); });
  EXPECT_TRUE(has_logged("may not write"));
}

TEST_F(IsolatedProcessTest, WritesAreAllowedWhileTheHostLeads) {
  may_write_until_ = make_system_clock()->boot_now() + std::chrono::hours(1);
  const auto process = start("writes");
  step_until(*process, [&] { return has_logged("write"); });
  EXPECT_TRUE(has_logged("may write"));
}

TEST_F(IsolatedProcessTest, ChildThatFloodsItsSocketDelaysNoStepAndFillsNoLog) {
  const auto process = start("floods");
  step_until(*process, [&] {
    return process->state().phase == Phase::kReady &&
           sink_.lines().size() >= IsolatedProcess::kLinesInASecond;
  });
  for (int i = 0; i < 200; ++i) process->step(std::chrono::milliseconds(0));
  EXPECT_EQ(sink_.lines().size(), IsolatedProcess::kLinesInASecond) << "the clock stands";

  clock_.advance(std::chrono::seconds(1));
  process->step(std::chrono::milliseconds(0));
  EXPECT_TRUE(has_logged("are left out, because there are too many"));
  EXPECT_LE(sink_.lines().size(),
            IsolatedProcess::kLinesInASecond + IsolatedProcess::kFramesMax + 1);
  EXPECT_EQ(process->state().phase, Phase::kReady);
}

TEST_F(IsolatedProcessTest, TokenIsSentAgainWhenItHasChanged) {
  const auto process = start("renews");
  step_until(*process, [&] { return has_logged("first secret-of-the-greeter"); });
  token_ = "renewed";
  clock_.advance(std::chrono::seconds(10));
  step_until(*process, [&] { return has_logged("then "); });
  EXPECT_TRUE(has_logged("then renewed"));
}

TEST_F(IsolatedProcessTest, MemoryFarBeyondTheLimitIsNotEvenGranted) {
  memory_bytes_ = std::uint64_t{512} << 20;
  const auto process = start("grabs");
  step_until(*process, [&] { return has_logged("limit "); });
  EXPECT_TRUE(has_logged("limit granted, more refused"));
}

TEST_F(IsolatedProcessTest, QuestionsAreAnsweredWithTheBytesThatBelongToThem) {
  const auto process = start("answers");
  step_until(*process, [&] { return process->state().phase == Phase::kReady; });
  const std::uint32_t id = process->ask({.kind = AskKind::kReadState,
                                         .text = "greeter-controller",
                                         .form = 7,
                                         .bytes = std::string(3'000'000, 'x'),
                                         .answer_bytes_max = 100});
  std::map<std::uint32_t, Answered> answers;
  step_until(*process, [&] {
    answers.merge(process->take_answers());
    return answers.contains(id);
  });
  ASSERT_TRUE(answers.contains(id)) << process->state().why_ended;
  EXPECT_EQ(answers.at(id).body, "greeter-controller 3000000");
  EXPECT_EQ(answers.at(id).status, 200);
  EXPECT_EQ(answers.at(id).form, 7U);
  EXPECT_EQ(answers.at(id).content_type, "text/plain");
}

TEST_F(IsolatedProcessTest, AnswerBeyondItsLimitEndsTheChild) {
  const auto process = start("answers_too_much");
  step_until(*process, [&] { return process->state().phase == Phase::kReady; });
  (void)process->ask({.text = "/metrics", .answer_bytes_max = std::size_t{1} << 20});
  step_until(*process, [] { return false; });
  EXPECT_EQ(process->state().why_ended, "it sent more of an answer than was asked for");
}

TEST_F(IsolatedProcessTest, ChildThatDoesNotAnswerIsKilledBeforeTheQuestionsPileUp) {
  const auto process = start("ignores_drain");
  step_until(*process, [&] { return process->state().phase == Phase::kReady; });
  for (std::size_t i = 0; i <= OpenQuestions::kMax; ++i) {
    (void)process->ask({.text = "/metrics", .answer_bytes_max = 100});
  }
  EXPECT_EQ(process->state().why_ended, "it does not answer");
}

TEST_F(IsolatedProcessTest, ChildThatDoesNotReadIsKilled) {
  const auto process = start("stops_reading");
  while (process->state().phase != Phase::kEnded) {
    may_write_until_ += std::chrono::seconds(1);  // Each time is a message.
    process->step(std::chrono::milliseconds(0));
  }
  EXPECT_EQ(process->state().why_ended, "it does not read its messages");
}

TEST_F(IsolatedProcessTest, ChildThatIgnoresTheEndIsKilledInTime) {
  const auto process = start("ignores_drain");
  step_until(*process, [&] { return process->state().phase == Phase::kReady; });
  process->drain(std::chrono::seconds(5));
  process->step(std::chrono::milliseconds(0));
  EXPECT_EQ(process->state().phase, Phase::kReady);
  clock_.advance(std::chrono::seconds(5));
  step_until(*process, [] { return false; });
  EXPECT_EQ(process->state().why_ended, "it did not end in time");
}

TEST_F(IsolatedProcessTest, ChildThatDoesNotLockItselfInTimeIsKilled) {
  const auto process = start("sleeps");
  clock_.advance(IsolatedProcess::kLockMax);
  process->step(std::chrono::milliseconds(0));
  EXPECT_EQ(process->state().phase, Phase::kEnded);
}

TEST_F(IsolatedProcessTest, ReportsAreKeptInPrintableForm) {
  const auto process = start("reports");
  step_until(*process, [&] { return process->state().phase == Phase::kReady; });
  ASSERT_TRUE(process->state().reports.contains("greeter-controller"));
  const ControllerReport& kept = process->state().reports.at("greeter-controller");
  EXPECT_EQ(kept.state, "run\\x09ning");
  EXPECT_EQ(kept.reason, "a\\x0ab");
  EXPECT_EQ(kept.waiting, 7U);
}

TEST_F(IsolatedProcessTest, ChildThatUsesMoreMemoryThanItsLimitIsKilled) {
  memory_bytes_ = std::uint64_t{512} << 20;
  EXPECT_THAT(end_of("grows"), HasSubstr("of memory; its limit is 512 MiB"));
}

TEST_F(IsolatedProcessTest, MemoryIsLimitedThoughProcHidesTheChildOnceItIsLocked) {
  memory_bytes_ = std::uint64_t{512} << 20;
  proc_ = directory_.path() / "proc";
  std::filesystem::create_directory_symlink("/proc", proc_);
  const auto process = start("grows");

  std::filesystem::remove(proc_);

  step_until(*process, [] { return false; });
  EXPECT_THAT(process->state().why_ended, HasSubstr("of memory; its limit is 512 MiB"));
}

TEST_F(IsolatedProcessTest, ChildWhoseMemoryCannotBeSeenDoesNotRunWithoutItsLimit) {
  memory_bytes_ = std::uint64_t{512} << 20;
  proc_ = directory_.path();
  const auto process = start("good");

  step_until(*process, [&] { return process->state().phase == Phase::kReady; });

  EXPECT_EQ(process->state().end, IsolatedProcessState::End::kFailed);
  EXPECT_THAT(process->state().why_ended, HasSubstr("its memory cannot be limited"));
}

TEST_F(IsolatedProcessTest, ChildThatCannotServeHasNotCrashed) {
  const auto process = start("fails");
  step_until(*process, [] { return false; });
  EXPECT_EQ(process->state().end, IsolatedProcessState::End::kFailed);
}

TEST(RestartPolicyTest, FirstRestartIsImmediateAndFurtherOnesBackOff) {
  const auto random = make_seeded_random(1);
  RestartPolicy policy(*random);
  const Time began{};
  const Time ended = began + std::chrono::minutes(1);
  EXPECT_EQ(policy.next_start(began, ended), ended);
  EXPECT_GE(policy.next_start(began, ended), ended + std::chrono::seconds(10));
  EXPECT_GE(policy.next_start(began, ended), ended + std::chrono::seconds(20));
  EXPECT_EQ(policy.next_start(began, began + RestartPolicy::kHealthyAfter),
            began + RestartPolicy::kHealthyAfter)
      << "it was healthy";
}

struct BadEnd {
  const char* behaviour;
  const char* reason;
};
class BadChildTest : public IsolatedProcessTest, public testing::WithParamInterface<BadEnd> {};

TEST_P(BadChildTest, EndsWithItsReason) {
  EXPECT_EQ(end_of(GetParam().behaviour), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadChildTest,
    testing::Values(BadEnd{"sends_garbage", "a frame has the unknown kind 255"},
                    BadEnd{"sends_a_descriptor", "a frame has descriptors that it may not have"},
                    BadEnd{"is_not_locked", "it sent its messages in the wrong order"},
                    BadEnd{"crashes", "it ended with SIGKILL"},
                    BadEnd{"closes_its_channel", "it closed its connection to the host"},
                    BadEnd{"answers_what_was_not_asked", "it answered what was not asked"},
                    BadEnd{"exits", "it ended with exit status 0"},
                    BadEnd{"unknown", "it ended with exit status 2"},
                    BadEnd{"fails", "it cannot serve: no server\\x0aresponds"},
                    BadEnd{"names_a_foreign_controller",
                           "it reports on a controller that it does not have"}),
    [](const auto& info) { return std::string(info.param.behaviour); });

TEST(ChildSettingsTest, SettingsAreReadAsTheyWereWritten) {
  const ChildSettings settings{.plugin = "greeter",
                               .path = "/opt/greeter.so",
                               .sha256 = "abc",
                               .controllers = {{"a", 3, R"({"x":1})"}, {"b", {}, ""}},
                               .server = "https://10.0.0.1",
                               .tls_server_name = "kubernetes",
                               .is_insecure = true,
                               .ca = "PEM\n",
                               .manifest = "{}"};
  EXPECT_EQ(parse_child_settings(to_text(settings)).value(), settings);
  EXPECT_EQ(parse_child_settings("{}").error().code(), Code::kInvalid);
  EXPECT_EQ(parse_child_settings("[").error().code(), Code::kInvalid);
}

TEST(DialTest, PortOnWhichNothingListensIsNamed) {
  const Port port(Port::Listens::kNo);
  const auto socket = dial({"127.0.0.1", port.text()}, std::chrono::seconds(10));
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().message(), HasSubstr("cannot connect to 127.0.0.1:" + port.text()));
}

TEST(DialTest, NameThatIsNoneIsNamed) {
  const auto socket = dial({"a..b", "443"}, std::chrono::seconds(10));
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().message(), HasSubstr("cannot resolve a..b"));
}

}  // namespace
}  // namespace davit::host

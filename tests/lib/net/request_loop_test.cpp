#include "lib/net/request_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit {
namespace {

using Requests = RequestLoop::Requests;

/// Waits for input from a pipe, and reads it.
class PipeRequest final : public DrivenRequest {
 public:
  PipeRequest() { open(); }

  void drive(std::span<const pollfd>, Time) override {
    ++drives;
    std::array<char, 16> bytes{};
    if (::read(in_.get(), bytes.data(), bytes.size()) > 0) ++inputs;
    if (on_drive) on_drive();
  }
  void poll_for(std::vector<pollfd>& out) const override {
    ++polls;
    if (in_.valid()) out.push_back({in_.get(), POLLIN, 0});
  }
  [[nodiscard]] Time due() const override { return due_at; }
  [[nodiscard]] std::optional<SteadyWait> steady_wait() const override {
    if (!is_steady) return std::nullopt;
    return SteadyWait{in_.get(), connection_, due_at};
  }

  void send() { ASSERT_EQ(::write(out_.get(), "x", 1), 1); }
  /// Another pipe, whose descriptor gets the number of the one before.
  void reconnect() {
    const int number = in_.get();
    in_.reset();
    open();
    if (in_.get() != number) move_to(number);
  }
  /// It has ended.
  void close() {
    in_.reset();
    is_steady = false;
  }
  /// Another connection has this descriptor.
  void move_to(int number) {
    ASSERT_EQ(::dup2(in_.get(), number), number);
    in_ = UniqueFd(number);
    ++connection_;
  }
  [[nodiscard]] int descriptor() const { return in_.get(); }

  bool is_steady = true;
  Time due_at = Time::max();
  std::function<void()> on_drive;
  int drives = 0;
  int inputs = 0;
  mutable int polls = 0;

 private:
  void open() {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    in_ = UniqueFd(ends[0]);
    out_ = UniqueFd(ends[1]);
    ++connection_;
  }

  UniqueFd in_;
  UniqueFd out_;
  std::uint64_t connection_ = 0;
};

class RequestLoopTest : public testing::TestWithParam<Requests> {
 protected:
  const std::unique_ptr<Clock> clock_ = make_system_clock();
  RequestLoop loop_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(FewAndMany, RequestLoopTest,
                         testing::Values(Requests::kFew, Requests::kMany), [](const auto& param) {
                           return param.param == Requests::kFew ? "Few" : "Many";
                         });

/// Ends the wait when it has been driven so often.
void stop_after(PipeRequest& request, int inputs, RequestLoop& loop) {
  request.on_drive = [&request, inputs, &loop] {
    if (request.inputs == inputs) loop.post(0);
  };
}

TEST_P(RequestLoopTest, InputOfOneRequestDrivesThatOneOnly) {
  PipeRequest first;
  PipeRequest second;
  loop_.join(first);
  loop_.join(second);
  stop_after(second, 1, loop_);
  second.send();
  EXPECT_EQ(loop_.wait(*clock_, Time::max(), 1).size(), 1u);
  EXPECT_EQ(first.drives, 0);
  EXPECT_EQ(second.drives, 1);
  loop_.leave(first);
  loop_.leave(second);
}

TEST_P(RequestLoopTest, ADescriptorThatIsUsedAgainIsWaitedForAgain) {
  PipeRequest request;
  loop_.join(request);
  request.send();
  request.on_drive = [&] {
    if (request.inputs == 1) request.reconnect();
    loop_.post(0);
  };
  static_cast<void>(loop_.wait(*clock_, Time::max(), 1));
  ASSERT_EQ(request.inputs, 1);

  stop_after(request, 2, loop_);
  request.send();
  EXPECT_EQ(loop_.wait(*clock_, Time::max(), 1).size(), 1u);
  EXPECT_EQ(request.inputs, 2);
  loop_.leave(request);
}

TEST_P(RequestLoopTest, ADescriptorThatAnotherRequestTakesOverIsWatchedForThatOne) {
  PipeRequest first;
  PipeRequest second;
  loop_.join(first);
  loop_.join(second);
  const int number = first.descriptor();
  first.on_drive = [&] { first.close(); };
  second.on_drive = [&] {
    second.move_to(number);
    loop_.post(0);
  };
  first.send();
  second.send();
  static_cast<void>(loop_.wait(*clock_, Time::max(), 1));
  loop_.leave(first);

  stop_after(second, 2, loop_);
  second.send();
  static_cast<void>(loop_.wait(*clock_, Time::max(), 1));
  EXPECT_EQ(second.inputs, 2);
  loop_.leave(second);
}

TEST_P(RequestLoopTest, ARequestIsDrivenWhenItIsDue) {
  PipeRequest request;
  request.due_at = clock_->now();
  request.on_drive = [&] {
    request.due_at = Time::max();
    loop_.post(0);
  };
  loop_.join(request);
  EXPECT_EQ(loop_.wait(*clock_, Time::max(), 1).size(), 1u);
  EXPECT_EQ(request.drives, 1);
  loop_.leave(request);
}

TEST_P(RequestLoopTest, ARingDrivesAllRequests) {
  PipeRequest first;
  PipeRequest second;
  loop_.join(first);
  loop_.join(second);
  second.on_drive = [&] { loop_.post(0); };
  loop_.ring();
  static_cast<void>(loop_.wait(*clock_, Time::max(), 1));
  EXPECT_EQ(first.drives, 1);
  EXPECT_EQ(second.drives, 1);
  loop_.leave(first);
  loop_.leave(second);
}

TEST(ManyRequestsTest, ARequestThatWaitsSteadilyIsNotAskedBeforeEachWait) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  RequestLoop loop(Requests::kMany);
  PipeRequest silent;
  PipeRequest busy;
  loop.join(silent);
  loop.join(busy);
  for (int i = 1; i <= 10; ++i) {
    stop_after(busy, i, loop);
    busy.send();
    static_cast<void>(loop.wait(*clock, Time::max(), 1));
  }
  EXPECT_EQ(busy.inputs, 10);
  EXPECT_EQ(silent.polls, 0);
  loop.leave(silent);
  loop.leave(busy);
}

TEST(ManyRequestsTest, ARequestThatIsNotSteadyAnyMoreIsPolledFor) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  RequestLoop loop(Requests::kMany);
  PipeRequest request;
  loop.join(request);
  request.on_drive = [&] {
    request.is_steady = request.inputs != 1;
    loop.post(0);
  };
  for (int i = 1; i <= 3; ++i) {
    request.send();
    static_cast<void>(loop.wait(*clock, Time::max(), 1));
    EXPECT_EQ(request.inputs, i);
  }
  EXPECT_EQ(request.polls, 1);
  loop.leave(request);
}

TEST(ManyRequestsTest, ADescriptorThatAChildProcessStillHoldsKeepsNoLoopBusy) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  RequestLoop loop(Requests::kMany);
  PipeRequest ended;
  PipeRequest counting;
  counting.is_steady = false;
  loop.join(ended);
  loop.join(counting);
  const UniqueFd of_a_child(::dup(ended.descriptor()));
  ended.on_drive = [&] {
    ended.send();  // Input that the child, which knows nothing of it, does not read.
    ended.close();
    loop.post(0);
  };
  ended.send();
  static_cast<void>(loop.wait(*clock, Time::max(), 1));

  const int before = counting.polls;
  static_cast<void>(loop.wait(*clock, clock->now() + std::chrono::milliseconds(50), 1));
  constexpr int kWaitsMax = 4;  // One that notices it, one that waits, and those that end early.
  EXPECT_LE(counting.polls - before, kWaitsMax);
  loop.leave(ended);
  loop.leave(counting);
}

}  // namespace
}  // namespace davit

/// A timer's next run reads the previous run's writes, even if another build runs it.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;

class TimerWritesTest : public ControllerHostTest {
 protected:
  TimerWritesTest() {
    transport_.set_script([](const HttpRequest&) {
      return response_of(201, json_of({.name = "new", .version = "12"}));
    });
  }

  // The timer uses host_, too.
  void TearDown() override {
    (void)host_->stop({Time::max(), Time::max()});
    ControllerHostTest::TearDown();
  }

  /// A timer that notes whether its cache shows the pod "new", and creates it on its first run.
  void open() {
    pods_ = open_informer("", "pods");
    queue_ = open_queue();
    davit_timer_options options{};
    options.size = sizeof(options);
    options.period_ms = is_once_ ? 0 : 1000;
    options.self = this;
    options.fire = [](void* self, const davit_call* call, davit_sync_result* result) {
      const CallScope scope(call);
      if (static_cast<TimerWritesTest*>(self)->is_once_) result->again_ms = 1000;
      static_cast<TimerWritesTest*>(self)->fire();
      return davit_code{DAVIT_OK};
    };
    davit_handle timer = 0;
    EXPECT_EQ(tables_.timer->start(current_call, &options, &timer), DAVIT_OK);
  }
  void fire() {
    davit_value pod{};
    const davit_code code =
        tables_.informer->get(current_call, pods_, str("default"), str("new"), &pod);
    if (ran_.entries().empty()) {
      const davit_request request = pod_request(DAVIT_CREATE);
      davit_response response{};
      response.size = sizeof(response);
      EXPECT_EQ(tables_.client->call(current_call, &request, &response), DAVIT_OK);
    }
    ran_.push(code == DAVIT_OK ? "sees it" : "does not see it");
  }
  /// Gives a timer that is due so much time as many syncs take, and shows the cache what it wrote
  /// only then.
  void show_late() {
    constexpr std::size_t kMany = 100;
    for (std::size_t i = 1; i <= kMany; ++i) {
      EXPECT_EQ(add(queue_, "probe"), DAVIT_OK);
      synced_.await(i);
    }
    send(0, event_json("ADDED", {.name = "new", .version = "12"}));
  }

  bool is_once_ = false;
  davit_handle pods_ = 0;
  davit_handle queue_ = 0;
  test::Collector<std::string> ran_;
};

TEST_F(TimerWritesTest, TimerThatRunsOnceMoreWaitsForItsWrites) {
  is_once_ = true;
  start_with([this] { open(); });
  commit({list_json("10", {})});
  run();
  ran_.await(1);
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));

  show_late();

  EXPECT_EQ(ran_.await(2)[1], "sees it");
}

TEST_F(TimerWritesTest, RunWaitsForWhatTheRunBeforeWrote) {
  start_with([this] { open(); });
  commit({list_json("10", {})});
  run();
  ran_.await(1);
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));

  show_late();

  EXPECT_EQ(ran_.await(2)[1], "sees it");
}

TEST_F(TimerWritesTest, TimerOfTheNextBuildWaitsForWhatTheOldOneWrote) {
  start_with([this] { open(); });
  commit({list_json("10", {})});
  run();
  ran_.await(1);
  ASSERT_TRUE(host_->drain(Time::max()));
  const std::unique_ptr<ControllerHost> old = std::move(host_);
  start_with([this] { open(); });
  ASSERT_TRUE(host_->commit().ok());
  host_->start();
  ASSERT_TRUE(host_->runner().wait_caches(Time::max()));

  (void)host_->hand_over().take_over(old->hand_over());
  host_->lead();
  show_late();

  EXPECT_EQ(ran_.await(2)[1], "sees it");
}

}  // namespace
}  // namespace davit::host

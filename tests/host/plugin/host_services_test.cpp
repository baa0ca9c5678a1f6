/// Events, log, clock, randomness, metrics.
#include <atomic>
#include <limits>

#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class HostServicesTest : public ControllerHostTest {
 protected:
  davit_metric_options counter() {
    davit_metric_options made{};
    made.size = sizeof(made);
    made.type = DAVIT_METRIC_COUNTER;
    made.name = str("sample_things_total");
    made.help = str("Things.");
    made.labels = &label_;
    made.label_count = 1;
    return made;
  }
  davit_code open(const davit_metric_options& options, davit_handle& out) {
    return inside(Phase::kInit, [&] { return tables_.metric->open(current_call, &options, &out); });
  }
  davit_code record(davit_handle metric, double value, const davit_str* labels, std::size_t count) {
    return inside(Phase::kSync, [&] {
      return tables_.metric->record(current_call, metric, value, labels, count);
    });
  }

  const davit_str label_ = str("kind");
};

TEST_F(HostServicesTest, EventsCarryTheClientNameAsTheirSource) {
  make();
  davit_reference about{};
  about.size = sizeof(about);
  about.api_version = str("v1");
  about.kind = str("Pod");
  about.ns = str("default");
  about.name = str("a");
  about.uid = str("u1");
  inside(Phase::kSync, [&] {
    EXPECT_EQ(
        tables_.event->record(current_call, &about, str("Normal"), str("Done"), str("It is done")),
        DAVIT_OK);
  });
  EXPECT_THAT(event_api_.events.await(1), ElementsAre("sample Normal Done Pod/a: It is done"));
}

TEST_F(HostServicesTest, ReferenceIsReadAsFarAsItsSize) {
  make();
  davit_reference about{};
  about.size = offsetof(davit_reference, kind);
  about.kind = str("Pod");
  about.name = str("a");
  inside(Phase::kSync, [&] {
    EXPECT_EQ(tables_.event->record(current_call, &about, str("Normal"), str("R"), str("m")),
              DAVIT_OK)
        << "dropped with a log line";
  });
  events_.stop();
  EXPECT_TRUE(event_api_.events.entries().empty());
}

TEST_F(HostServicesTest, LogLinesHaveTheControllersNameLevelAndFields) {
  make();
  const CallFrame frame(host_->abi(), Phase::kSync);
  const davit_call* const call = frame.call();
  const davit_log_field fields[] = {{str("key"), str("default/web")}, {davit_str{}, davit_str{}}};
  tables_.log->write(call, DAVIT_LOG_ERROR, str("Bad"), fields, 1);
  tables_.log->write(call, -7, str("Worse"), fields, 0);
  tables_.log->write(call, DAVIT_LOG_WARNING, str("Odd"), fields, 2);
  tables_.log->write(call, 5, str("Fine"), nullptr, 3);
  tables_.log->write(call, 6, str("Too much"), nullptr, 0);

  EXPECT_THAT(
      log_.lines(),
      ElementsAre("E sample-controller: Bad key=default/web", "E sample-controller: Worse",
                  "W sample-controller: Odd key=default/web =", "I5 sample-controller: Fine"));
  EXPECT_EQ(tables_.log->enabled(call, 5), 1);
  EXPECT_EQ(tables_.log->enabled(call, 6), 0);
  EXPECT_EQ(tables_.log->enabled(call, DAVIT_LOG_ERROR), 1);
}

TEST_F(HostServicesTest, ClocksAndRandomnessAreTheHosts) {
  make();
  const CallFrame frame(host_->abi(), Phase::kSync);
  const davit_call* const call = frame.call();
  EXPECT_EQ(tables_.clock->monotonic_ns(call), test::FakeClock::kStart.time_since_epoch().count());
  EXPECT_EQ(tables_.clock->wall_ns(call),
            std::chrono::nanoseconds(test::FakeClock::kWallStart.time_since_epoch()).count());
  clock_.advance(std::chrono::nanoseconds(5));
  EXPECT_EQ(tables_.clock->monotonic_ns(call),
            test::FakeClock::kStart.time_since_epoch().count() + 5);
  EXPECT_NE(tables_.random->next(call), tables_.random->next(call));
}

/// A controller whose sync pauses for five seconds.
class HostPauseTest : public HostServicesTest {
 protected:
  void start_pausing(ControllerHostOptions made = options()) {
    make(std::move(made));
    davit_handle queue = 0;
    start_with([&] {
      queue = open_queue([this](davit_str, davit_sync_result&) {
        codes_.push(tables_.clock->pause(current_call, 5000));
        return codes_.entries().back();
      });
    });
    commit();
    run();
    add(queue, "a");
    clock_.await_deadline(clock_.now() + std::chrono::seconds(1));
  }

  test::Collector<davit_code> codes_;
};

TEST_F(HostPauseTest, ASyncPausesOnTheHostsClock) {
  start_pausing();
  for (int i = 1; i < 5; ++i) {
    clock_.advance(std::chrono::seconds(1));
    clock_.await_deadline(clock_.now() + std::chrono::seconds(1));
  }
  EXPECT_THAT(codes_.entries(), ElementsAre());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_THAT(codes_.await(1), ElementsAre(DAVIT_OK));
}

TEST_F(HostPauseTest, APauseEndsWhenTheHostStops) {
  start_pausing();
  EXPECT_TRUE(host_->stop({.cancel_at = clock_.now(), .give_up_at = Time::max()}));
  EXPECT_THAT(codes_.entries(), ElementsAre(DAVIT_CANCELLED));
}

TEST_F(HostPauseTest, APauseEndsWhenASwapDrainsAndItsKeyIsNext) {
  start_pausing();
  EXPECT_TRUE(host_->drain(Time::max()));
  EXPECT_THAT(codes_.entries(), ElementsAre(DAVIT_CANCELLED));
  EXPECT_EQ(host_->runner().waiting(), 1U);
  EXPECT_EQ(log_.count("Sync failed"), 0U);
}

TEST_F(HostPauseTest, APauseEndsWhenLeadershipIsGone) {
  std::atomic<bool> leads{true};
  ControllerHostOptions made = options();
  made.write_gate = [&leads] { return leads ? Status() : Status(Code::kCancelled, "lost"); };
  start_pausing(std::move(made));
  leads = false;
  clock_.advance(std::chrono::seconds(1));
  EXPECT_THAT(codes_.await(1), ElementsAre(DAVIT_CANCELLED));
  host_.reset();  // Before what its gate reads.
}

TEST_F(HostServicesTest, MetricsAppearOnTheMetricsPage) {
  make();
  davit_handle metric = 0;
  ASSERT_EQ(open(counter(), metric), DAVIT_OK);
  const davit_str pod = str("pod");
  EXPECT_EQ(record(metric, 2, &pod, 1), DAVIT_OK);
  EXPECT_EQ(record(metric, -1, &pod, 1), DAVIT_INVALID) << "a counter cannot decrease";
  EXPECT_EQ(record(metric, 1, &pod, 0), DAVIT_INVALID);
  EXPECT_EQ(record(metric, 1, nullptr, 1), DAVIT_MISUSE);
  EXPECT_EQ(record(metric + 1, 1, &pod, 1), DAVIT_STALE);
  EXPECT_EQ(record(0, 1, &pod, 1), DAVIT_STALE);

  EXPECT_THAT(metrics_->text(), HasSubstr("sample_things_total{kind=\"pod\"} 2\n"));
}

TEST_F(HostServicesTest, SeriesOfAMetricAreDeleted) {
  make();
  davit_handle metric = 0;
  ASSERT_EQ(open(counter(), metric), DAVIT_OK);
  const davit_str pod = str("pod");
  const auto remove = [&](davit_handle handle, const davit_str* values, std::size_t count) {
    return inside(Phase::kSync,
                  [&] { return tables_.metric->remove(current_call, handle, values, count); });
  };
  EXPECT_EQ(record(metric, 2, &pod, 1), DAVIT_OK);

  EXPECT_EQ(remove(metric, &pod, 1), DAVIT_OK);

  EXPECT_THAT(metrics_->text(), Not(HasSubstr("sample_things_total")));
  EXPECT_EQ(remove(metric, &pod, 1), DAVIT_NOT_FOUND);
  EXPECT_EQ(remove(metric, &pod, 0), DAVIT_INVALID);
  EXPECT_EQ(remove(metric, nullptr, 1), DAVIT_MISUSE);
  EXPECT_EQ(remove(metric + 1, &pod, 1), DAVIT_STALE);
}

TEST_F(HostServicesTest, SwapReplacesTheDefinitionOfAMetric) {
  make();
  davit_handle metric = 0;
  const davit_str pod = str("pod");
  ASSERT_EQ(open(counter(), metric), DAVIT_OK);
  EXPECT_EQ(record(metric, 2, &pod, 1), DAVIT_OK);
  const std::unique_ptr<ControllerHost> old = std::move(host_);
  ControllerHostOptions options_of_next = options();
  options_of_next.generation = 2;
  make(options_of_next);
  davit_metric_options other = counter();
  other.help = str("Other things.");
  const davit_str label = str("zone");
  other.labels = &label;

  ASSERT_EQ(open(other, metric), DAVIT_OK);
  EXPECT_THAT(metrics_->text(), HasSubstr("sample_things_total{kind=\"pod\"} 2\n"));
  static_cast<void>(host_->hand_over().take_over(old->hand_over()));
  EXPECT_EQ(record(metric, 1, &pod, 1), DAVIT_OK);

  EXPECT_THAT(metrics_->text(), HasSubstr("# HELP sample_things_total Other things.\n"));
  EXPECT_THAT(metrics_->text(), HasSubstr("sample_things_total{zone=\"pod\"} 1\n"));
  EXPECT_THAT(metrics_->text(), Not(HasSubstr("kind=\"pod\"")));
}

TEST_F(HostServicesTest, MetricOfOtherOptionsOrNamesIsRefused) {
  make();
  davit_handle metric = 0;
  davit_handle again = 0;
  ASSERT_EQ(open(counter(), metric), DAVIT_OK);
  EXPECT_EQ(open(counter(), again), DAVIT_OK);
  const davit_handle before = again;
  davit_metric_options other = counter();
  other.help = str("Other things.");
  EXPECT_EQ(open(other, again), DAVIT_ALREADY_EXISTS);
  other.name = str("no name");
  EXPECT_EQ(open(other, again), DAVIT_INVALID);
  other.type = 4;
  EXPECT_EQ(open(other, again), DAVIT_MISUSE);
  other = counter();
  other.labels = nullptr;
  EXPECT_EQ(open(other, again), DAVIT_MISUSE);
  other = counter();
  other.type = DAVIT_METRIC_HISTOGRAM;
  other.name = str("sample_seconds");
  other.bucket_count = 2;
  EXPECT_EQ(open(other, again), DAVIT_MISUSE);
  const double buckets[] = {0.1, 1};
  other.buckets = buckets;
  EXPECT_EQ(again, before) << "untouched by what was refused";
  EXPECT_EQ(open(other, again), DAVIT_OK);
  const davit_str pod = str("pod");
  EXPECT_EQ(record(again, 0.5, &pod, 1), DAVIT_OK);
  EXPECT_THAT(metrics_->text(), HasSubstr("sample_seconds_bucket{kind=\"pod\",le=\"1\"} 1\n"));
}

}  // namespace
}  // namespace davit::host

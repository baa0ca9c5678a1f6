#include "host/events/event_recorders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The parts that all controllers' requests share: a log, and a server that hangs for one of them.
struct SharedServer {
  test::Collector<std::string> written;
  test::Door slow;
};

/// The requests of one controller; those of "slow" hang until the door opens.
class ControllerEventApi final : public EventApi {
 public:
  ControllerEventApi(std::string controller, SharedServer& server)
      : controller_(std::move(controller)), server_(server) {}
  Status create(const Event& event, std::stop_token) override {
    if (controller_ == "slow") server_.slow.pass();
    server_.written.push(controller_ + " " + event.message);
    return {};
  }
  Status patch(const Event& event, std::stop_token stop) override {
    return create(event, std::move(stop));
  }
  std::vector<Status> create_all(std::span<const Event> events, std::stop_token stop) override {
    for (const Event& event : events) (void)create(event, stop);
    return std::vector<Status>(events.size());
  }

 private:
  const std::string controller_;
  SharedServer& server_;
};

class EventRecordersTest : public testing::Test {
 protected:
  ~EventRecordersTest() override { server_.slow.open(); }

  void record(std::string_view controller, std::string_view message) {
    recorders_.of(controller)
        .record({"v1", "Pod", "web", "web-1", "u1", "7", ""}, "Normal", "Said", message,
                controller);
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  SharedServer server_;
  EventRecorders recorders_{[this](std::string_view controller) {
                              return std::make_unique<ControllerEventApi>(std::string(controller),
                                                                          server_);
                            },
                            clock_, *random_, Logger(sink_), EventRecorderOptions{"node-1", 1000}};
};

TEST_F(EventRecordersTest, EventThatHangsDelaysOnlyItsOwnController) {
  record("slow", "stuck");
  record("fast", "first");
  record("fast", "second");

  EXPECT_THAT(server_.written.await(2), ElementsAre("fast first", "fast second"));

  server_.slow.open();
  EXPECT_TRUE(recorders_.flush(Time::max()));
  EXPECT_THAT(server_.written.entries(), ElementsAre("fast first", "fast second", "slow stuck"));
}

TEST_F(EventRecordersTest, ControllerKeepsItsRecorderAcrossItsBuilds) {
  EventRecorder& first = recorders_.of("one");
  EXPECT_EQ(&recorders_.of("one"), &first);
  EXPECT_NE(&recorders_.of("other"), &first);
}

TEST_F(EventRecordersTest, FlushThatOneControllerDelaysFailsAtTheDeadline) {
  record("slow", "stuck");
  EXPECT_FALSE(recorders_.flush(clock_.now()));
}

TEST_F(EventRecordersTest, NothingIsWrittenAfterTheStop) {
  (void)recorders_.of("fast");
  recorders_.stop();
  record("fast", "late");
  EXPECT_TRUE(recorders_.flush(Time::max()));
  EXPECT_THAT(server_.written.entries(), IsEmpty());
}

}  // namespace
}  // namespace davit::host

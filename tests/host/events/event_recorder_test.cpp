#include "host/events/event_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

/// A server that responds as scripted, and with success when the script is over.
class FakeEventApi final : public EventApi {
 public:
  Status create(const Event& event, std::stop_token) override {
    return respond("POST " + event.ns + " " + event.message + " " + std::to_string(event.count));
  }
  Status patch(const Event& event, std::stop_token) override {
    return respond("PATCH " + event.ns + " " + event.message + " " + std::to_string(event.count));
  }

  std::vector<Status> create_all(std::span<const Event> events, std::stop_token stop) override {
    together.push(events.size());
    std::vector<Status> responses;
    for (const Event& event : events) responses.push_back(create(event, stop));
    return responses;
  }

  void script(std::deque<Status> responses) {
    MutexLock lock(mutex_);
    responses_ = std::move(responses);
  }

  test::Collector<std::string> requests;
  test::Collector<std::size_t> together;  // The number of events in each create_all().
  test::Door* hang = nullptr;             // Set before the first event.

 private:
  Status respond(std::string request) {
    requests.push(std::move(request));
    if (hang != nullptr) hang->pass();
    MutexLock lock(mutex_);
    if (responses_.empty()) return {};
    Status status = std::move(responses_.front());
    responses_.pop_front();
    return status;
  }

  Mutex mutex_;
  std::deque<Status> responses_ GUARDED_BY(mutex_);
};

Status refused(Code code, int http_status) {
  ApiDetail detail;
  detail.http_status = http_status;
  return {code, "refused", detail};
}

class EventRecorderTest : public testing::Test {
 protected:
  Reference pod() const { return {"v1", "Pod", "web", "web-1", "u1", "7", ""}; }
  void record(EventRecorder& recorder, std::string_view message = "hello") {
    recorder.record(pod(), "Normal", "Said", message, "test-controller");
  }
  bool flush(EventRecorder& recorder) { return recorder.flush(Time::max()); }

  test::FakeClock clock_;
  test::RecordingLogSink sink_{3};
  std::unique_ptr<Random> random_ = make_seeded_random(1);
  FakeEventApi api_;
  EventRecorderOptions options_{"node-1", 1000};
};

TEST_F(EventRecorderTest, EventIsLoggedAndPosted) {
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder);
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(), ElementsAre("POST web hello 1"));
  EXPECT_EQ(sink_.count("I3 : Event occurred object=web/web-1 fieldPath= kind=Pod apiVersion=v1 "
                        "type=Normal reason=Said message=hello"),
            1U);
}

TEST_F(EventRecorderTest, WithoutAThreadEventsWaitForTheOwner) {
  options_.threads = Threads::kNone;
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);
  record(recorder);
  record(recorder);
  EXPECT_THAT(api_.requests.entries(), ElementsAre());

  recorder.write_waiting();

  EXPECT_THAT(api_.requests.entries(), ElementsAre("POST web hello 1", "PATCH web hello 2"));
}

TEST_F(EventRecorderTest, RepetitionsArePatched) {  // RT-120
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  for (int i = 0; i < 3; ++i) record(recorder);
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(),
              ElementsAre("POST web hello 1", "PATCH web hello 2", "PATCH web hello 3"));
}

TEST_F(EventRecorderTest, EventOfAClusterScopedObjectLivesInDefault) {  // RT-127
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  recorder.record({"v1", "Node", "", "n1", "u1", "", ""}, "Warning", "Gone", "bye", "nodes");
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(), ElementsAre("POST default bye 1"));
}

TEST_F(EventRecorderTest, RefusedEventIsNotTriedAgain) {  // RT-123
  api_.script({refused(Code::kForbidden, 403)});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder, "first");
  record(recorder, "second");
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(), ElementsAre("POST web first 1", "POST web second 1"));
  EXPECT_EQ(sink_.count("Server rejected event (will not retry!) err=refused"), 1U);
}

TEST_F(EventRecorderTest, RefusalInATerminatingNamespaceIsQuiet) {
  ApiDetail detail;
  detail.causes = {"NamespaceTerminating"};
  api_.script({Status(Code::kForbidden, "going", detail), refused(Code::kAlreadyExists, 409)});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder, "first");
  record(recorder, "second");
  EXPECT_TRUE(flush(recorder));

  EXPECT_EQ(sink_.count("E "), 0U);
}

TEST_F(EventRecorderTest, EventIsWrittenWhenTheServerReturns) {  // RT-124
  const Status broken(Code::kUnavailable, "no connection");
  api_.script({broken, broken, broken});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder);
  for (std::size_t tries = 1; tries <= 3; ++tries) {
    api_.requests.await(tries);
    clock_.await_waiters(1);
    clock_.advance(seconds(10));
  }
  EXPECT_TRUE(flush(recorder));

  EXPECT_EQ(api_.requests.entries().size(), 4U);
}

TEST_F(EventRecorderTest, EventIsGivenUpAfterTwelveAttempts) {
  api_.script(std::deque<Status>(12, Status(Code::kUnavailable, "no connection")));
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder);
  for (std::size_t tries = 1; tries <= 11; ++tries) {
    api_.requests.await(tries);
    clock_.await_waiters(1);
    clock_.advance(seconds(10));
  }
  EXPECT_TRUE(flush(recorder));

  EXPECT_EQ(api_.requests.entries().size(), 12U);
  EXPECT_EQ(sink_.count("retry limit exceeded"), 1U);
}

TEST_F(EventRecorderTest, PatchOfAForgottenEventBecomesAPost) {  // RT-125
  api_.script({Status(), refused(Code::kNotFound, 404)});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder);
  record(recorder);
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(),
              ElementsAre("POST web hello 1", "PATCH web hello 2", "POST web hello 2"));
}

TEST_F(EventRecorderTest, FloodDuringAHangIsDroppedAndNeverBlocks) {  // RT-126
  test::Door door;
  api_.hang = &door;
  options_.waiting_max = 10;
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder, "first");
  api_.requests.await(1);
  for (int i = 0; i < 5000; ++i) record(recorder, "flood");

  EXPECT_EQ(sink_.count("too many queued events"), 1U);
  EXPECT_FALSE(recorder.flush(clock_.now()));
  door.open();
  EXPECT_TRUE(flush(recorder));
  EXPECT_EQ(api_.requests.entries().size(), 11U);
  EXPECT_EQ(sink_.count("Dropped events, too many were queued count=4990"), 1U);
}

TEST_F(EventRecorderTest, CreationsThatWaitGoOutTogetherAndPatchesStayInOrder) {
  test::Door door;
  api_.hang = &door;
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder, "first");
  api_.requests.await(1);
  for (const char* message : {"a", "b", "a", "c"}) record(recorder, message);
  door.open();
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(),
              ElementsAre("POST web first 1", "POST web a 1", "POST web b 1", "PATCH web a 2",
                          "POST web c 1"));
  EXPECT_THAT(api_.together.entries(), ElementsAre(2U));
}

TEST_F(EventRecorderTest, OneOfManyWithoutAResponseIsTriedAgainAlone) {
  test::Door door;
  api_.hang = &door;
  const Status broken(Code::kUnavailable, "no connection");
  api_.script({Status(), Status(), broken});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  record(recorder, "first");
  api_.requests.await(1);
  for (const char* message : {"a", "b", "c"}) record(recorder, message);
  door.open();
  api_.requests.await(4);
  clock_.await_waiters(1);
  clock_.advance(seconds(10));
  EXPECT_TRUE(flush(recorder));

  EXPECT_THAT(api_.requests.entries(), ElementsAre("POST web first 1", "POST web a 1",
                                                   "POST web b 1", "POST web c 1", "POST web b 1"));
}

TEST_F(EventRecorderTest, StopDropsWhatWaitsAndRefusesMore) {
  api_.script({Status(Code::kUnavailable, "no connection")});
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);
  record(recorder);
  api_.requests.await(1);

  recorder.stop();
  record(recorder);

  EXPECT_EQ(api_.requests.entries().size(), 1U);
  EXPECT_EQ(sink_.count("Events lost at shutdown count=1"), 1U);
  EXPECT_TRUE(flush(recorder));
}

TEST_F(EventRecorderTest, UnknownTypesAndNamelessObjectsAreRefused) {
  EventRecorder recorder(api_, clock_, *random_, Logger(sink_), options_);

  recorder.record(pod(), "Error", "Said", "hello", "x");
  recorder.record({"v1", "Pod", "web", "", "", "", ""}, "Normal", "Said", "hello", "x");
  EXPECT_TRUE(flush(recorder));

  EXPECT_TRUE(api_.requests.entries().empty());
  EXPECT_EQ(sink_.count("E "), 2U);
}

}  // namespace
}  // namespace davit::host

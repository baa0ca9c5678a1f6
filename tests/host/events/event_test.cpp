#include "host/events/event.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

Event made() {
  Event event;
  event.name = "web.18a";
  event.ns = "default";
  event.regarding = {"apps/v1", "ReplicaSet", "default", "web", "u1", "7", ""};
  event.type = "Normal";
  event.reason = "SuccessfulCreate";
  event.message = "Created pod: \"web-1\"";
  event.component = "replicaset-controller";
  event.host = "node-1";
  event.first_seen = WallTime(std::chrono::seconds(1767225600));
  event.last_seen = event.first_seen + std::chrono::seconds(61);
  event.count = 3;
  return event;
}

TEST(EventTest, PostHasWhatKubectlShows) {
  EXPECT_EQ(
      event_json(made()),
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"web.18a","namespace":"default"},)"
      R"("involvedObject":{"kind":"ReplicaSet","namespace":"default","name":"web","uid":"u1",)"
      R"("apiVersion":"apps/v1","resourceVersion":"7"},"reason":"SuccessfulCreate",)"
      R"("message":"Created pod: \"web-1\"","source":{"component":"replicaset-controller",)"
      R"("host":"node-1"},"firstTimestamp":"2026-01-01T00:00:00Z",)"
      R"("lastTimestamp":"2026-01-01T00:01:01Z","count":3,"type":"Normal",)"
      R"("reportingComponent":"replicaset-controller","reportingInstance":"node-1"})");
}

TEST(EventTest, AnAggregatedEventNamesNoReporter) {
  Event event = made();
  event.reporter = Event::Reporter::kUnnamed;
  const std::string body = event_json(event);
  EXPECT_EQ(body.find("reporting"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("source":{"component":"replicaset-controller")"), std::string::npos);
}

TEST(EventTest, PatchHasOnlyWhatChanges) {
  EXPECT_EQ(event_patch_json(made()), R"({"count":3,"lastTimestamp":"2026-01-01T00:01:01Z",)"
                                      R"("message":"Created pod: \"web-1\""})");
}

TEST(EventTest, NameIsObjectAndTimeUnlessThatIsNotADnsName) {
  const WallTime now(std::chrono::nanoseconds(0x18A5));

  EXPECT_EQ(event_name("web-1.example", now, "uuid"), "web-1.example.18a5");
  EXPECT_EQ(event_name("system:node", now, "uuid"), "uuid");
  EXPECT_EQ(event_name(std::string(253, 'a'), now, "uuid"), "uuid");
}

}  // namespace
}  // namespace davit::host

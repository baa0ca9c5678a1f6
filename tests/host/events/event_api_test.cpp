#include "host/events/event_api.hpp"

#include <gmock/gmock.h>

#include "host/api/rest_client.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/fitting_body.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

TEST(EventApiTest, TheServerIsAskedForMetadataAloneAndMayAnswerWithMore) {
  test::FakeTransport transport;
  test::FakeClock clock;
  test::RecordingLogSink sink;
  transport.set_script([](const HttpRequest& request) {
    return test::ScriptedResponse{.body = test::fitting_body(request)};
  });
  NoRestMetrics metrics;
  RestClient client(transport, clock, metrics, Logger(sink), {});
  RestEventApi api(client);
  Event event;
  event.ns = "default";
  event.name = "web.1";

  EXPECT_EQ(api.create(event, {}).message(), "");
  EXPECT_EQ(api.patch(event, {}).message(), "");

  ASSERT_EQ(transport.requests().size(), 2U);
  for (const HttpRequest& request : transport.requests()) {
    EXPECT_THAT(request.headers, testing::Contains(testing::Pair(
                                     "Accept",
                                     "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                                     "application/json")));
  }
}

}  // namespace
}  // namespace davit::host

/// Tracing on a real API server: it takes the header, and the spans of its requests arrive.
#include "tests/live/conformance/fixture.hpp"
#include "tests/support/otlp_receiver.hpp"

namespace davit::live {
namespace {

using testing::MatchesRegex;

class TracingLiveTest : public LiveTest {};

TEST_F(TracingLiveTest, RequestsToTheServerAreSpansOfTheirSync) {
  const host::OtlpReceiver receiver;
  const std::filesystem::path manifest = cluster().scratch() / "tracing.yaml";
  write_file(manifest,
             "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n"
             "tracing: {samplingRatePerMillion: 1000000}\n");
  const auto kubelet = cluster().kubelet();
  const auto davit = cluster().davit({"--leader-elect=false", "--manifest=" + manifest.string()},
                                     {"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.url(),
                                      "OTEL_TRACES_SAMPLER=always_off"});  // The manifest wins.
  create_replica_set("set");
  ASSERT_TRUE(becomes("replicaset/set", "{.status.readyReplicas}", "2"));
  davit->signal(SIGTERM);
  ASSERT_EQ(davit->wait(kWaitLimit), 0);

  EXPECT_THAT(receiver.request_lines(), testing::ElementsAre("POST /v1/traces HTTP/1.1"));
  std::map<std::string, host::ReceivedSpan> by_id;
  for (const host::ReceivedSpan& each : receiver.spans()) by_id[each.id] = each;
  int created = 0;
  for (const auto& [id, each] : by_id) {
    EXPECT_THAT(each.trace, MatchesRegex("[0-9a-f]{32}"));
    const bool is_ours = each.attributes.contains("k8s.namespace.name") &&
                         each.attributes.at("k8s.namespace.name") == ns();
    if (each.name != "create pods" || !is_ours) continue;
    ++created;
    EXPECT_EQ(each.attributes.at("http.response.status_code"), "201");
    ASSERT_TRUE(by_id.contains(each.parent));
    EXPECT_EQ(by_id[each.parent].attributes.at("davit.key"), ns() + "/set");
  }
  EXPECT_EQ(created, 2);
}

}  // namespace
}  // namespace davit::live

// Tracing in a whole host: the spans that a receiver gets on a real socket, and receivers that
// misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/otlp_receiver.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class TracingInHostTest : public testing::Test, protected WholeHost {
 protected:
  TracingInHostTest() : WholeHost(2) {}
  void start_traced(const std::string& endpoint) {
    WholeHostOptions options{
        .directories = {DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY},
        .controllers = {"*"}};
    options.tracing.endpoint = endpoint;
    options.tracing.interval = std::chrono::milliseconds(50);
    options.tracing.queue_max = 16;  // It is full soon when nothing leaves it.
    options.tracing.batch_max = 8;
    if (endpoint.find("/keep") != endpoint.npos) options.tracing.queue_max = 10'000;
    WholeHost::start(options);
  }
  void roll_out() {
    send(Verb::kCreate, deployment(""), web_deployment(3));
    await(deployment(""), rolled_out(3));
  }
  /// The receiver's spans once it has those of three new pods, and the sync of each span. A host
  /// that ends waits for two seconds only.
  static std::vector<ReceivedSpan> await_spans(const OtlpReceiver& receiver) {
    for (;;) {
      std::vector<ReceivedSpan> spans = receiver.spans();
      std::set<std::string> known = {""};
      for (const ReceivedSpan& each : spans) known.insert(each.id);
      const bool are_whole = std::ranges::all_of(
          spans, [&](const ReceivedSpan& each) { return known.contains(each.parent); });
      const auto pods = std::ranges::count(spans, "create pods", &ReceivedSpan::name);
      if (are_whole && pods >= 3) return spans;
      std::this_thread::yield();
    }
  }
};

TEST_F(TracingInHostTest, ReceiverGetsTheTreeOfEachSync) {
  const OtlpReceiver receiver;
  start_traced(receiver.url() + "/keep");
  roll_out();
  const std::vector<ReceivedSpan> spans = await_spans(receiver);
  stop();

  EXPECT_THAT(receiver.request_lines(), testing::ElementsAre("POST /keep HTTP/1.1"));
  std::map<std::string, const ReceivedSpan*> by_id;
  for (const ReceivedSpan& each : spans) {
    EXPECT_TRUE(by_id.emplace(each.id, &each).second) << "sent twice: " << each.name;
  }
  int pods = 0;
  for (const ReceivedSpan& each : spans) {
    EXPECT_LE(each.began, each.ended) << each.name;
    if (each.parent.empty()) {
      EXPECT_THAT(each.name, HasSubstr("-controller sync"));
      EXPECT_EQ(each.attributes.count("davit.key"), 1U);
      continue;
    }
    ASSERT_EQ(by_id.count(each.parent), 1U) << each.name << " has lost its sync";
    const ReceivedSpan& sync = *by_id[each.parent];
    EXPECT_EQ(sync.trace, each.trace);
    EXPECT_LE(sync.began, each.began);
    EXPECT_GE(sync.ended, each.ended);
    if (each.name != "create pods") continue;
    ++pods;
    EXPECT_EQ(sync.attributes.at("davit.controller"), "replicaset-controller");
    EXPECT_THAT(sync.attributes.at("davit.key"), HasSubstr("default/web-"));
    EXPECT_EQ(each.attributes.at("http.response.status_code"), "201");
  }
  EXPECT_EQ(pods, 3);
}

/// A receiver that misbehaves on each connection.
struct Hostile {
  const char* name;
  TinyServer::Script script;
};

const Hostile kHostile[] = {
    {"hangs",
     [](Peer& peer) {
       while (!peer.read_request().empty()) {
       }
     }},
    {"closes", [](Peer&) {}},
    {"resets",
     [](Peer& peer) {
       peer.read_request();
       peer.reset();
     }},
    {"refuses",
     [](Peer& peer) {
       while (!peer.read_request().empty()) peer.respond("no", "503 Service Unavailable");
     }},
    {"lies about its length",
     [](Peer& peer) {
       peer.read_request();
       peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}");
     }},
    {"sends without end",
     [](Peer& peer) {
       peer.read_request();
       peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n");
       while (peer.write(std::string(64 * 1024, 'x'))) {
       }
     }},
    {"is no HTTP", [](Peer& peer) { peer.write("SSH-2.0-OpenSSH_9.2\r\n"); }},
};

class HostileReceiverTest : public TracingInHostTest,
                            public testing::WithParamInterface<Hostile> {};

TEST_P(HostileReceiverTest, StopsNothing) {
  TinyServer receiver(GetParam().script);
  start_traced(receiver.url() + "/v1/traces");
  roll_out();
  while (receiver.connections() == 0) std::this_thread::yield();  // The export has its own pace.
  stop();
}

std::string name_of(const testing::TestParamInfo<Hostile>& info) {
  std::string name = info.param.name;
  for (char& each : name) each = each == ' ' ? '_' : each;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Receivers, HostileReceiverTest, testing::ValuesIn(kHostile), name_of);

TEST_F(TracingInHostTest, EndpointWithoutAServerStopsNothing) {
  start_traced("http://127.0.0.1:1/v1/traces");
  roll_out();
  stop();
}

}  // namespace
}  // namespace davit::host

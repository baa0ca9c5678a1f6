// The simulated nodes over real connections, which their own thread drives.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "nodes/reflector.hpp"
#include "nodes/simulation.hpp"
#include "sandbox/http/front.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/nodes/world.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::sandbox {
namespace {

using host::Peer;
using host::TinyServer;

class NodesOverSocketsTest : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect_to(const std::string& url) {
    host::ConnectionConfig config;
    config.server = url;
    auto made = host::make_curl_transport(config, *clock_, metrics_, Logger(log_));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  [[nodiscard]] SimulationSeams seams(Transport& transport) {
    return {transport, *clock_, *random_, Logger(log_)};
  }

  const std::unique_ptr<Clock> clock_ = make_system_clock();
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink log_;
};

/// The threads of this process that no test and no server has started.
bool has_thread(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string text;
    std::getline(std::ifstream(task.path() / "comm"), text);
    if (text == name) return true;
  }
  return false;
}

TEST_F(NodesOverSocketsTest, PodsRunAndNoOtherThreadDrivesTheirRequests) {
  Sandbox sandbox;
  const auto front = open_front({}, *sandbox.server, Logger(log_));
  ASSERT_TRUE(front) << front.error().message();
  const auto transport = connect_to("http://127.0.0.1:" + std::to_string((*front)->port()));
  const auto nodes = SimulationThread::open(seams(*transport), two_nodes());
  ASSERT_TRUE(nodes);

  host::RestClient client(*transport, *clock_, metrics_, Logger(log_),
                          host::RestOptions{.rate = {-1, 0}});
  host::ApiRequest create;
  create.verb = host::Verb::kCreate;
  create.path = {"", "v1", "pods", "", "default", ""};
  create.body = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},)"
                R"("spec":{"containers":[{"name":"c","image":"i"}]}})";
  ASSERT_TRUE(client.call(create).status.ok());

  host::ApiRequest watch;
  watch.verb = host::Verb::kWatch;
  watch.path = {"", "v1", "pods", "", "default", ""};
  std::string events;
  const Status ended = client.stream(watch, {}, [&](std::string_view piece) {
    events += piece;
    const bool runs = events.find(R"("phase":"Running")") != events.npos;
    return runs ? Status(Code::kCancelled, "it runs") : Status();
  });
  EXPECT_EQ(ended.message(), "it runs");
  EXPECT_FALSE(has_thread("davit-requests"));
}

TEST_F(NodesOverSocketsTest, StopEndsRequestsThatTheServerDoesNotAnswer) {
  std::promise<void> asked;
  std::atomic<int> open = 0;
  std::atomic<bool> first = true;
  TinyServer server([&](Peer& peer) {
    ++open;
    while (!peer.read_request().empty()) {
      if (first.exchange(false)) asked.set_value();
    }
    --open;
    open.notify_all();
  });
  const auto transport = connect_to(server.url());
  {
    const auto nodes = SimulationThread::open(seams(*transport), two_nodes());
    ASSERT_TRUE(nodes);
    asked.get_future().wait();
  }
  for (int now = open; now > 0; now = open) open.wait(now);  // Every connection is closed.
}

/// A Pod in JSON of some 10 KiB.
std::string pod(int number, const char* version) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" + std::to_string(number) +
         R"(","namespace":"default","resourceVersion":")" + version + R"(","annotations":{"a":")" +
         std::string(10'000, 'x') + R"("}}})";
}

TEST_F(NodesOverSocketsTest, ReflectorReadsALargeListInPiecesAndThenItsWatch) {
  constexpr int kPods = 800;  // 8 MB, many times what one read takes.
  TinyServer server([&](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      if (request.find("watch=true") != request.npos) {
        const std::string event = R"({"type":"ADDED","object":)" + pod(kPods, "7") + "}\n";
        peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + event);
        continue;
      }
      std::string list = R"({"apiVersion":"v1","kind":"PodList","metadata":)"
                         R"({"resourceVersion":"6"},"items":[)";
      for (int i = 0; i < kPods; ++i) list += (i == 0 ? "" : ",") + pod(i, "5");
      peer.respond(list + "]}");
    }
  });
  const auto transport = connect_to(server.url());
  RequestLoop loop;
  ApiCalls api(*transport, loop, "test");
  std::set<std::string> seen;
  std::size_t most_at_once = 0;
  std::size_t before = 0;
  Reflector reflector({api, *clock_, *random_, Logger(log_)}, "/api/v1/pods",
                      {[&](Json object) { seen.insert(key_of(object)); }, [](const auto&) {}});
  for (;;) {
    const Time next = reflector.step();
    most_at_once = std::max(most_at_once, seen.size() - before);
    before = seen.size();
    if (seen.size() > kPods) break;
    static_cast<void>(loop.wait(*clock_, next, 1));
  }
  EXPECT_TRUE(seen.contains("default/pod-0"));
  EXPECT_TRUE(seen.contains("default/pod-" + std::to_string(kPods)));
  EXPECT_LT(most_at_once, kPods / 4) << "the list is never in memory as a whole";
}

}  // namespace
}  // namespace davit::sandbox

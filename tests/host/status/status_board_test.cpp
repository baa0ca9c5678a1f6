#include "host/status/status_board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

HostStatus status_at(int second, std::uint64_t syncs, std::uint64_t generation = 1) {
  HostStatus status;
  status.now = Time{} + seconds(second);
  status.version = "1.2.3";
  PluginState plugin;
  plugin.name = "web";
  plugin.build = {"0.1.0", "abc", generation};
  plugin.controllers.push_back({.name = "web-controller", .state = "running", .waiting = 4});
  plugin.controllers.back().syncs.syncs = syncs;
  status.set.plugins.push_back(plugin);
  return status;
}

double rate_of(StatusBoard& board) {
  const Result<Json> document = parse_json(board.json());
  EXPECT_TRUE(document);
  return std::stod(document->get("controllers").items().front().get("syncsPerSecond").text());
}

TEST(StatusBoardTest, RatesAreTheDifferencesOfTwoStates) {
  StatusBoard board;
  board.sample(status_at(1, 100));
  board.sample(status_at(3, 110));

  EXPECT_DOUBLE_EQ(rate_of(board), 5);
}

TEST(StatusBoardTest, AnotherGenerationCountsFromZero) {
  StatusBoard board;
  board.sample(status_at(1, 100));
  board.sample(status_at(2, 3, 2));
  EXPECT_DOUBLE_EQ(rate_of(board), 0);

  board.sample(status_at(3, 9, 2));
  EXPECT_DOUBLE_EQ(rate_of(board), 6);
}

TEST(StatusBoardTest, TheDocumentHasTheKeysThatFailAndWhatIsHeld) {
  StatusBoard board;
  HostStatus status = status_at(1, 100);
  ControllerState& controller = status.set.plugins[0].controllers[0];
  controller.failing.keys.push_back({.queue = "web", .key = "shop/a", .error = "no \033[2J"});
  controller.failing.keys.push_back({.error = "no server", .failures = 2});
  controller.failing.others = 5;
  controller.held = {.objects = 3, .object_bytes = 2048, .backing_off = 9};
  status.allocated_bytes = 77;
  board.sample(std::move(status));

  const std::string json = board.json();

  EXPECT_THAT(json, HasSubstr("\"failing\":[{\"queue\":\"web\",\"key\":\"shop/a\",\"error\":"
                              "\"no \\u001b[2J\",\"since\":\"1970-01-01T00:00:00Z\","
                              "\"failures\":1},{\"timer\":true,\"error\":\"no server\","));
  EXPECT_THAT(json, HasSubstr("\"failingOthers\":5"));
  EXPECT_THAT(json, HasSubstr("\"held\":{\"objects\":3,\"objectBytes\":2048,"));
  EXPECT_THAT(json, HasSubstr("\"backOffs\":9"));
  EXPECT_THAT(json, HasSubstr("\"allocatedBytes\":77"));
}

TEST(StatusBoardTest, AThousandClientsCostTheHostAsMuchAsOne) {
  std::atomic<int> looked{0};
  StatusBoard board([&looked]() -> std::vector<RecentWrite> {
    ++looked;
    return {};
  });
  board.sample(status_at(1, 1));
  const std::string first = board.page();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(board.page(), first);
    (void)board.json();
  }
  EXPECT_EQ(looked, 1);

  board.sample(status_at(2, 1));
  (void)board.json();
  EXPECT_EQ(looked, 2);
}

TEST(StatusBoardTest, ReadersAndTheSamplerMayRunAtOnce) {
  StatusBoard board;
  std::jthread reader([&board](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)board.page();
  });
  for (int i = 1; i <= 200; ++i) board.sample(status_at(i, 1));
  reader.request_stop();
  reader.join();

  EXPECT_THAT(board.page(), HasSubstr("web-controller"));
}

TEST(StatusBoardTest, TheLastSwapsAreKept) {
  StatusBoard board;
  board.sample(status_at(1, 1));
  for (std::uint64_t i = 1; i <= StatusBoard::kSwaps + 5; ++i) {
    SwapReport report;
    report.plugin = "web";
    report.to.generation = i;
    board.swapped(report, {});
  }
  const Result<Json> document = parse_json(board.json());
  ASSERT_TRUE(document);
  const Json::Items& swaps = document->get("swaps").items();
  ASSERT_EQ(swaps.size(), StatusBoard::kSwaps);
  EXPECT_EQ(swaps.front().get("to").text(), "25");
  EXPECT_EQ(swaps.front().get("outcome").text(), "done");
}

TEST(StatusBoardTest, BeforeTheFirstStateThereIsAnEmptyDocument) {
  StatusBoard board;

  EXPECT_TRUE(parse_json(board.json()));
  EXPECT_THAT(board.page(), HasSubstr("<h1>davit</h1>"));
}

TEST(StatusBoardTest, TheMembersOfTheDocumentStay) {
  StatusBoard board;
  board.sample(status_at(1, 1));
  const Result<Json> document = parse_json(board.json());
  ASSERT_TRUE(document);

  for (const char* member :
       {"time", "version", "startTimeSeconds", "cpu", "residentBytes", "threads", "leadership",
        "controllers", "informers", "plugins", "residents", "swaps", "crashes", "quarantined",
        "busy", "notes", "writes"}) {
    EXPECT_TRUE(document->contains(member)) << member;
  }
  const Json& controller = document->get("controllers").items().front();
  for (const char* member :
       {"name", "plugin", "state", "generation", "waiting", "running", "delayed", "pendingChanges",
        "syncs", "errors", "faults", "syncsPerSecond", "errorsPerSecond", "cpu", "cpuSeconds"}) {
    EXPECT_TRUE(controller.contains(member)) << member;
  }
}

}  // namespace
}  // namespace davit::host

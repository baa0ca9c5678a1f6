#include "host/cache/server_history.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const ResourceId kPods{"", "v1", "pods"};
const ResourceId kNodes{"", "v1", "nodes"};
const ResourceId kEvents{"", "v1", "events"};
const ResourceId kWidgets{"example.com", "v1", "widgets"};

class ServerHistoryTest : public CacheTest {
 protected:
  /// An informer whose content is that of version 7.
  void follow(const ResourceId& resource, const std::string& content) {
    Informer& informer = **factory_.informer(InformerSpec{resource, {}, {}, {}});
    ASSERT_TRUE(informer.prepare().ok());
    informers_.push_back(&informer);
    reply({.body = content});
    step();
  }
  void step() { step(*informers_.back()); }
  void step(Informer& informer) {
    EXPECT_FALSE(informer.reflector().step(stop_.get_token())) << "it wants to wait";
  }
  /// Pods at version 7, nodes at version 9.
  void follow_two() {
    follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
    follow(kNodes, R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                   R"("items":[]})");
  }
  /// The requests of an informer while its watch is ended twice.
  Strings requests_of(Informer& informer) {
    const auto before = static_cast<std::ptrdiff_t>(api_.asked.size());
    for (int i = 0; i < 2; ++i) {
      reply({});
      step(informer);
    }
    return {api_.asked.begin() + before, api_.asked.end()};
  }
  [[nodiscard]] Status write() const { return history_.fence({})(); }

  std::vector<std::string> heard_;
  std::vector<std::string> undecided_;
  ServerHistory history_{
      [this](const ServerHistory::Restore& what) {
        EXPECT_FALSE(write().ok()) << "the fence comes first";
        heard_.push_back(what.resource + " " + what.known + " " + what.version);
      },
      [this](const ServerHistory::Restore& what) {
        undecided_.push_back(what.resource + " " + what.known + " " + what.version);
      }};
  InformerFactory factory_{InformerSeams{api_,
                                         space_,
                                         clock_,
                                         *random_,
                                         metrics_,
                                         {},
                                         &contact_,
                                         [this](const ResourceId& resource, std::string_view known,
                                                std::string_view version) {
                                           history_.went_back(resource, known, version);
                                         }},
                           Logger(log_),
                           {.streaming_list = false}};
  std::vector<Informer*> informers_;
};

TEST_F(ServerHistoryTest, BuiltInResourceThatGoesBackEndsAllWrites) {
  EXPECT_TRUE(write().ok());

  history_.went_back(kPods, "9", "5");

  EXPECT_TRUE(history_.is_restored());
  EXPECT_EQ(write().code(), Code::kCancelled);
  EXPECT_EQ(write().message(), "the API server was restored to an older state");
}

TEST_F(ServerHistoryTest, TheFirstResourceIsReported) {
  history_.went_back(kPods, "9", "5");
  history_.went_back({"apps", "v1", "deployments"}, "8", "5");
  EXPECT_THAT(heard_, ElementsAre("pods 9 5"));
}

TEST_F(ServerHistoryTest, TheFenceIsInFrontOfAnotherGate) {
  const Status not_leader(Code::kCancelled, "not the leader");
  const WriteGate gate = history_.fence([&] { return not_leader; });
  EXPECT_EQ(gate().message(), "not the leader");
  history_.went_back(kPods, "9", "5");
  EXPECT_EQ(gate().message(), "the API server was restored to an older state");
}

TEST_F(ServerHistoryTest, AnInformerReportsAListBelowItsVersion) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  reply({.during = [this] { informers_.back()->request_relist(RelistReason::kStaleCache); }});
  step();
  reply({.body = list_json("5", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_THAT(heard_, ElementsAre("pods 7 5"));
}

// An aggregated API server may have a store of its own, and Events an etcd.
TEST_F(ServerHistoryTest, AResourceThatMayHaveAStoreOfItsOwnHasTheOthersVerified) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  for (const ResourceId& each : {kWidgets, kEvents}) {
    history_.went_back(each, "9", "1");
    EXPECT_TRUE(write().ok());
    reply({.during = [this] { history_.resolve_doubt(factory_, clock_.now()); }});
    step();
    reply({.body = list_json("8", {{.name = "a", .version = "3"}})});
    step();
    EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
    EXPECT_TRUE(write().ok()) << "the server of pods has not gone back";
  }

  history_.went_back(kWidgets, "9", "1");
  reply({.during = [this] { history_.resolve_doubt(factory_, clock_.now()); }});
  step();
  reply({.body = list_json("5", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_THAT(heard_, ElementsAre("pods 8 5"));
}

TEST_F(ServerHistoryTest, AnOutageIsFollowedByOneVerification) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  history_.follow(factory_, clock_.now());
  const Time lost = clock_.now();
  while (clock_.now() - lost < std::chrono::seconds(10)) {
    reply(
        {.end = {Code::kUnavailable, "connection refused"}, .lasts = std::chrono::milliseconds(1)});
    step();
    clock_.advance(*informers_.back()->reflector().step(stop_.get_token()) - clock_.now());
  }
  // It works again, silently: the restored server has not reached version 7.
  reply({.during = [this] {
    history_.follow(factory_, clock_.now());
    history_.follow(factory_, clock_.now());
  }});
  step();
  reply({.body = list_json("5", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=500") << "without a version: the latest state";
  EXPECT_THAT(heard_, ElementsAre("pods 7 5"));
}

TEST_F(ServerHistoryTest, AnOutageHasTheCacheAtTheHighestVersionVerified) {
  follow_two();
  Informer& pods = *informers_[0];
  Informer& nodes = *informers_[1];
  history_.follow(factory_, clock_.now());
  const Time lost = clock_.now();
  while (clock_.now() - lost < std::chrono::seconds(10)) {
    reply(
        {.end = {Code::kUnavailable, "connection refused"}, .lasts = std::chrono::milliseconds(1)});
    step(pods);
    clock_.advance(*pods.reflector().step(stop_.get_token()) - clock_.now());
  }
  reply({.during = [this] { history_.follow(factory_, clock_.now()); }});
  step(pods);
  EXPECT_THAT(requests_of(nodes), ElementsAre(StartsWith("watch "), "list limit=500"));
  EXPECT_THAT(requests_of(pods), Each(StartsWith("watch ")));
}

TEST_F(ServerHistoryTest, ADoubtIsResolvedOnce) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  history_.resolve_doubt(factory_, clock_.now());
  history_.went_back(kWidgets, "9", "1");
  history_.resolve_doubt(factory_, clock_.now());
  const std::size_t before = api_.asked.size();
  history_.resolve_doubt(factory_, clock_.now());
  EXPECT_EQ(api_.asked.size(), before);
  EXPECT_THAT(heard_, IsEmpty());
}

// A watch may get the older progress of a lagging member of etcd.
TEST_F(ServerHistoryTest, AnOlderBookmarkIsNoProof) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  reply({.body = bookmark_json("6")});
  step();
  EXPECT_TRUE(write().ok());
  reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_TRUE(write().ok());

  reply({.body = bookmark_json("6")});
  step();
  reply({.body = list_json("6", {{.name = "a", .version = "3"}})});
  step();
  EXPECT_THAT(heard_, ElementsAre("pods 7 6"));
}

// Its server may keep nothing over a restart.
TEST_F(ServerHistoryTest, NoCustomResourceEndsAHostAlone) {
  for (int i = 0; i < 3; ++i) {
    for (const ResourceId& each : {kWidgets, kEvents}) {
      history_.went_back(each, "9", "1");
      history_.resolve_doubt(factory_, clock_.now());
    }
  }
  EXPECT_TRUE(write().ok());
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(undecided_, ElementsAre("widgets.example.com 9 1", "events 9 1"))
      << "once for each resource";
}

TEST_F(ServerHistoryTest, ADoubtWaitsForTheFirstContentOfABuiltInResource) {
  Informer& pods = **factory_.informer(InformerSpec{kPods, {}, {}, {}});
  ASSERT_TRUE(pods.prepare().ok());
  history_.went_back(kWidgets, "9", "1");
  history_.resolve_doubt(factory_, clock_.now());
  EXPECT_TRUE(write().ok());
  reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
  step(pods);

  history_.resolve_doubt(factory_, clock_.now());

  EXPECT_THAT(requests_of(pods), ElementsAre(StartsWith("watch "), "list limit=500"));
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(undecided_, IsEmpty());
}

// The quietest one would know the lowest version.
TEST_F(ServerHistoryTest, TheCacheAtTheHighestVersionIsVerified) {
  follow_two();
  history_.went_back(kWidgets, "9", "1");
  history_.resolve_doubt(factory_, clock_.now());
  EXPECT_THAT(requests_of(*informers_[1]), ElementsAre(StartsWith("watch "), "list limit=500"));
  EXPECT_THAT(requests_of(*informers_[0]), Each(StartsWith("watch ")));
}

TEST_F(ServerHistoryTest, DoubtsVerifyOnceAMinute) {
  follow(kPods, list_json("7", {{.name = "a", .version = "3"}}));
  const Time began = clock_.now();
  const auto verifies_after = [&](std::chrono::seconds time) {
    history_.went_back(kWidgets, "9", "1");
    history_.resolve_doubt(factory_, began + time);
    reply({});
    step();
    const bool is_interrupted = api_.stop.stop_requested();
    if (is_interrupted) {
      reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
      step();
    }
    return is_interrupted;
  };
  EXPECT_TRUE(verifies_after(std::chrono::seconds(0)));
  EXPECT_FALSE(verifies_after(std::chrono::seconds(1)));
  EXPECT_FALSE(verifies_after(std::chrono::seconds(59)));
  EXPECT_TRUE(verifies_after(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace davit::host

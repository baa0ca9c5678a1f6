#include "host/cache/server_history.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ResourceId kPods{"", "v1", "pods"};
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
  void step() {
    EXPECT_FALSE(informers_.back()->reflector().step(stop_.get_token())) << "it wants to wait";
  }
  [[nodiscard]] Status write() const { return history_.fence({})(); }

  std::vector<std::string> heard_;
  ServerHistory history_{[this](const ServerHistory::Restore& what) {
    EXPECT_FALSE(write().ok()) << "the fence comes first";
    heard_.push_back(what.resource + " " + what.known + " " + what.version);
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

TEST_F(ServerHistoryTest, WithoutABuiltInResourceACustomOneDecides) {
  history_.went_back(kWidgets, "9", "1");
  EXPECT_TRUE(write().ok());
  history_.resolve_doubt(factory_, clock_.now());
  EXPECT_THAT(heard_, ElementsAre("widgets.example.com 9 1"));
}

}  // namespace
}  // namespace davit::host

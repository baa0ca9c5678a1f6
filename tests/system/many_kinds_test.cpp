// A thousand custom kinds, whose watches share a few threads, while some of them fail. Garbage is
// collected, and what has an owner stays.
#include "tests/support/many_kinds.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kKinds = 1000;
constexpr char kDefinitions[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr char kConfigMaps[] = "/api/v1/namespaces/default/configmaps";
/// A watch that lacks its bookmarks is renewed then, give or take the period of the checks.
constexpr Duration kStalledMax = seconds(190 + 15);

/// The kinds that have objects: at the rate of a client, more of them would take minutes.
bool is_used(int kind) { return kind % 20 < 2; }
/// The kinds that a fault hits; those between them are not to notice.
bool is_hit(int kind) { return kind % 2 == 0; }

/// `rule`, a fault with its members, for requests of these kinds. `verbs` is JSON.
std::string for_hit_kinds(const std::string& rule, const std::string& verbs) {
  std::string names;
  for (int i = 0; i < kKinds; ++i) {
    if (!is_hit(i)) continue;
    names +=
        (names.empty() ? "\"" : ",\"") + ManyKinds::plural(i) + "." + ManyKinds::group(i) + "\"";
  }
  return "{" + rule + R"(,"target":{"verb":)" + verbs + R"(,"resource":[)" + names + "]}}";
}

/// A world whose davit is the collector alone.
WorldOptions with_collector() {
  WorldOptions options{.nodes = 0, .host = {}};
  options.cluster.garbage_collector = sandbox::Switch::kOff;
  options.host.controllers = {"garbage-collector-controller"};
  options.host.plugin_directories = {DAVIT_GARBAGECOLLECTOR_DIRECTORY};
  return options;
}

/// An object that an owner, a ConfigMap, has created.
std::string owned_object(int kind, const std::string& name, const std::string& owner,
                         const std::string& uid) {
  return ManyKinds::object(kind, R"({"name":")" + name +
                                     R"(","ownerReferences":[{"apiVersion":"v1","kind":)"
                                     R"("ConfigMap","name":")" +
                                     owner + R"(","uid":")" + uid + R"("}]})");
}
constexpr char kNoOwner[] = "00000000-0000-4000-8000-000000000000";

TEST(NewKindTest, AKindIsFollowedSecondsAfterItsDefinition) {
  World world(with_collector());
  world.pass(seconds(40));
  world.send("POST", kDefinitions, ManyKinds::definition(0));
  world.pass(seconds(4));  // The second look at what the server offers.
  const std::string collection = ManyKinds::collection(0, "default");
  world.send("POST", collection, owned_object(0, "garbage", "gone", kNoOwner));
  EXPECT_TRUE(world.reach(
      seconds(4), [&] { return world.send("GET", collection).get("items").items().empty(); }));
}

class ManyKindsTest : public testing::Test {
 protected:
  /// The definitions, an owner, and an object of each used kind that it owns.
  ManyKindsTest() {
    for (int i = 0; i < kKinds; ++i) world_.send("POST", kDefinitions, ManyKinds::definition(i));
    world_.pass(seconds(1));
    const Json owner = world_.send("POST", kConfigMaps, R"({"metadata":{"name":"owner"}})");
    create_in_all("owned", owner.text_at({"metadata", "uid"}), "owner");
    world_.pass(seconds(35));  // Until the collector follows all of them.
  }

  void create_in_all(const std::string& name, const std::string& uid, const std::string& owner) {
    for (int i = 0; i < kKinds; ++i) {
      if (!is_used(i)) continue;
      world_.send("POST", ManyKinds::collection(i, "default"), owned_object(i, name, owner, uid));
    }
  }
  /// An object of each used kind whose owner does not exist.
  void create_garbage(const std::string& name) { create_in_all(name, kNoOwner, "gone"); }

  enum class Kinds { kAll, kOthers };
  /// Whether nothing but the owned objects is left of these kinds within `limit`.
  bool is_collected(Kinds which, Duration limit) {
    int next = 0;  // Garbage that is gone does not return.
    const auto is_clean = [&](int kind) {
      return !is_used(kind) || (which == Kinds::kOthers && is_hit(kind)) || left(kind) == 1;
    };
    return world_.reach(limit, [&] {
      while (next < kKinds && is_clean(next)) ++next;
      return next == kKinds;
    });
  }
  std::size_t left(int kind) {
    return world_.send("GET", ManyKinds::collection(kind, "default")).get("items").items().size();
  }

  World world_{with_collector()};
};

TEST_F(ManyKindsTest, StalledWatchesDelayNoOtherKindAndAreRenewedInTime) {
  world_.pass(seconds(70));  // Each watch has had a bookmark.
  world_.play(for_hit_kinds(R"("fault":"hold","for":"30m","count":500)", R"("watch")"));
  create_garbage("garbage");
  EXPECT_TRUE(is_collected(Kinds::kOthers, seconds(30)));
  EXPECT_EQ(left(0), 2U) << "the fault has no effect";
  EXPECT_TRUE(is_collected(Kinds::kAll, kStalledMax));
}

TEST_F(ManyKindsTest, ListsWithoutAResponseDelayNoOtherKind) {
  world_.play(R"({"rules":[{"fault":"status","code":410,"count":1000,"target":{"verb":"watch"}},)" +
              for_hit_kinds(R"("fault":"delay","delay":"30m")", R"(["list","watch"])") + "]}");
  create_garbage("garbage");
  EXPECT_TRUE(is_collected(Kinds::kOthers, minutes(1)));
  EXPECT_EQ(left(0), 2U) << "the fault has no effect";
  world_.heal();
  EXPECT_TRUE(is_collected(Kinds::kAll, minutes(5)));
}

TEST_F(ManyKindsTest, CutConnectionsAndARestartLoseNoGarbage) {
  world_.play(R"({"rules":[{"fault":"cut","after":"1ms","count":3000,"target":{"verb":"watch"}},
                           {"fault":"reset","probability":0.3,"target":{}}]})");
  create_garbage("cut");
  world_.pass(seconds(10));
  world_.start_host();
  world_.stop_host();
  create_garbage("after-the-start");
  world_.pass(seconds(10));
  world_.heal();
  EXPECT_TRUE(is_collected(Kinds::kAll, minutes(5)));
}

}  // namespace
}  // namespace davit::test

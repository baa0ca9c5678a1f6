#include <gtest/gtest.h>

#include <davit/controller_ref_manager.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/testing/cluster.hpp>
#include <memory>
#include <string>
#include <vector>

namespace davit {
namespace {

using testing::PodBuilder;
using testing::ReplicaSetBuilder;
using testing::Verb;

/// Claims the pods of each ReplicaSet's namespace, but none called "…-other", and remembers what it
/// got.
class Claimer : public Controller {
 public:
  struct Outcome {
    std::vector<std::string> claimed;
    Status error;
  };
  Claimer(Context& context, Outcome& outcome)
      : client_(context.client()),
        outcome_(outcome),
        queue_(
            context.open_queue({.name = "claimer"}, [this](const Key& key) { return sync(key); })),
        sets_(context.open_informer<ReplicaSet>(
            {.added = [this](const ReplicaSet& set) { queue_.add(set); }})),
        pods_(context.open_informer<Pod>()) {}

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) {
    const Lookup<ReplicaSet> set = sets_.get(key);
    if (!set) return Again::when_changed();
    const Result<Selector> selector = Selector::parse(set->selector());
    if (!selector) return selector.error();
    ControllerRefManager<ReplicaSet, Pod> refs(client_, *set, *selector);
    const Result<std::vector<Pod>> claimed = refs.claim(
        pods_.in_namespace(key.ns), [](const Pod& pod) { return !pod.name().ends_with("-other"); });
    outcome_ = {{}, claimed.error()};
    if (!claimed) return Again::when_changed();
    for (const Pod& pod : *claimed) outcome_.claimed.emplace_back(pod.name());
    return Again::when_changed();
  }

  Client client_;
  Outcome& outcome_;
  Queue queue_;
  Informer<ReplicaSet> sets_;
  Informer<Pod> pods_;
};

class ControllerRefManagerTest : public ::testing::Test {
 protected:
  /// Runs one sync of the set "web", whose uid is "rs".
  const Claimer::Outcome& claim() {
    const Status started = cluster_.start("claimer", [this](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<Claimer>(context, outcome_));
    });
    EXPECT_TRUE(started.ok());
    cluster_.run_until_idle();
    return outcome_;
  }
  PodBuilder pod(std::string_view name) {
    return PodBuilder(name).uid(std::string("uid-") + std::string(name));
  }
  PodBuilder matching(std::string_view name) { return pod(name).label("app", "web"); }
  PodBuilder owned(PodBuilder builder) {
    return builder.controlled_by("apps/v1", "ReplicaSet", "web", "rs");
  }
  static constexpr const char* kDeleted = "2024-05-01T11:00:00Z";

  testing::Cluster cluster_;
  Claimer::Outcome outcome_;
  ReplicaSetBuilder set_ = ReplicaSetBuilder("web").uid("rs");
};

TEST_F(ControllerRefManagerTest, MatchingPodsOfTheOwnerAreClaimedWithoutARequest) {
  cluster_.add(set_);
  cluster_.add(owned(matching("a")));
  cluster_.add(matching("b").controlled_by("apps/v1", "ReplicaSet", "other", "someone"));

  EXPECT_EQ(claim().claimed, std::vector<std::string>{"a"});
  EXPECT_TRUE(cluster_.requests().empty());
}

TEST_F(ControllerRefManagerTest, OrphansAreAdoptedAfterOneUncachedRead) {
  cluster_.add(set_);
  cluster_.add(matching("a"));
  cluster_.add(matching("b"));
  cluster_.add(pod("c"));

  EXPECT_EQ(claim().claimed, (std::vector<std::string>{"a", "b"}));

  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "replicasets").size(), 1u);
  ASSERT_EQ(cluster_.writes().size(), 2u);
  EXPECT_EQ(cluster_.writes().front().patch_type, PatchType::kStrategic);
  EXPECT_EQ(cluster_.writes().front().body,
            R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
            R"("name":"web","uid":"rs","controller":true,"blockOwnerDeletion":true}],)"
            R"("uid":"uid-a"}})");
  EXPECT_TRUE(cluster_.find<Pod>({"default", "a"})
                  ->is_controlled_by({"ReplicaSet", "default", "web", "rs"}));
}

TEST_F(ControllerRefManagerTest, OwnedPodsThatNoLongerMatchAreReleased) {
  cluster_.add(set_);
  cluster_.add(owned(pod("a")));

  EXPECT_TRUE(claim().claimed.empty());

  ASSERT_EQ(cluster_.writes().size(), 1u);
  EXPECT_EQ(cluster_.writes().front().body,
            R"({"metadata":{"uid":"uid-a","ownerReferences":[{"$patch":"delete","uid":"rs"}]}})");
  EXPECT_FALSE(cluster_.find<Pod>({"default", "a"})->controller());
}

TEST_F(ControllerRefManagerTest, WhatTheFilterRefusesDoesNotMatch) {
  cluster_.add(set_);
  cluster_.add(matching("orphan-other"));
  cluster_.add(owned(matching("owned-other")));

  EXPECT_TRUE(claim().claimed.empty());

  EXPECT_FALSE(cluster_.find<Pod>({"default", "orphan-other"})->controller());
  EXPECT_FALSE(cluster_.find<Pod>({"default", "owned-other"})->controller()) << "released";
}

TEST_F(ControllerRefManagerTest, AnOwnerThatIsBeingDeletedNeitherAdoptsNorReleases) {
  cluster_.add(set_.being_deleted(*parse_time(kDeleted)));
  cluster_.add(matching("orphan"));
  cluster_.add(owned(pod("stray")));
  cluster_.add(owned(matching("mine")));

  EXPECT_EQ(claim().claimed, std::vector<std::string>{"mine"});
  EXPECT_TRUE(cluster_.requests().empty());
}

TEST_F(ControllerRefManagerTest, PodsThatAreBeingDeletedAreNotAdopted) {
  cluster_.add(set_);
  cluster_.add(matching("a").being_deleted(*parse_time(kDeleted)));

  EXPECT_TRUE(claim().claimed.empty());
  EXPECT_TRUE(cluster_.requests().empty());
}

TEST_F(ControllerRefManagerTest, AnOwnerThatWasReplacedAdoptsNothing) {
  cluster_.add(set_);
  cluster_.add(matching("a"));
  cluster_.on_request([this](const testing::RequestRecord& request) {
    if (request.verb != Verb::kGet) return;
    cluster_.hold("replicasets");  // The cache keeps the old one.
    cluster_.erase<ReplicaSet>({"default", "web"});
    cluster_.add(ReplicaSetBuilder("web").uid("new"));
  });

  EXPECT_EQ(claim().error.message(),
            "can't adopt Pod default/a (uid-a): original ReplicaSet default/web is gone: got uid "
            "new, wanted rs");
  EXPECT_TRUE(cluster_.writes().empty());
}

TEST_F(ControllerRefManagerTest, AnOwnerThatWasJustDeletedAdoptsNothing) {
  cluster_.add(set_.finalizer("keep"));
  cluster_.add(matching("a"));
  cluster_.on_request([this](const testing::RequestRecord&) {
    cluster_.remove<ReplicaSet>({"default", "web"});
  });

  EXPECT_EQ(claim().error.message(),
            "can't adopt Pod default/a (uid-a): default/web has just been deleted at "
            "2024-05-01T12:00:00Z");
}

TEST_F(ControllerRefManagerTest, PodsThatDisappearInBetweenAreNotAnError) {
  cluster_.add(set_);
  cluster_.add(matching("a"));
  cluster_.add(owned(pod("b")));
  cluster_.add(owned(pod("c")));
  cluster_.fail_next({.verb = Verb::kPatch, .name = "a", .http_status = 404, .reason = "NotFound"});
  cluster_.fail_next({.verb = Verb::kPatch, .name = "b", .http_status = 404, .reason = "NotFound"});
  cluster_.fail_next({.verb = Verb::kPatch, .name = "c", .http_status = 422, .reason = "Invalid"});

  EXPECT_TRUE(claim().claimed.empty());
  EXPECT_TRUE(outcome_.error.ok()) << outcome_.error.message();
}

TEST_F(ControllerRefManagerTest, OtherFailuresFailTheClaimAfterAllPodsWereTried) {
  cluster_.add(set_);
  cluster_.add(matching("a"));
  cluster_.add(matching("b"));
  cluster_.add(matching("c"));
  cluster_.fail_next({.verb = Verb::kPatch,
                      .name = "a",
                      .http_status = 422,
                      .reason = "Invalid",
                      .message = "taken"});
  cluster_.fail_next({.verb = Verb::kPatch, .name = "b", .http_status = 500, .message = "broken"});

  EXPECT_EQ(claim().error.message(), "[taken, broken]");
  EXPECT_EQ(outcome_.error.code(), Code::kInvalid);
  EXPECT_EQ(cluster_.writes().size(), 3u);
}

}  // namespace
}  // namespace davit

#include "sandbox/rest/deletion_plan.hpp"

#include <gtest/gtest.h>

#include "sandbox/rest/delete.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using Step = DeletionPlan::Step;
using namespace std::chrono_literals;

constexpr WallTime kNow = test::FakeClock::kWallStart;

ResourcePtr resource(const std::string& name) {
  for (const ResourcePtr& each : builtin_resources()) {
    if (each->name == name) return each;
  }
  return nullptr;
}

/// A pod on a node with 30 seconds of grace, and what `more` says of its metadata.
Json pod(const std::string& more = "") {
  return json_literal(R"({"metadata":{"name":"p","generation":1)" + more +
                      R"(},"spec":{"nodeName":"n","terminationGracePeriodSeconds":30}})");
}

const std::string kGoing =
    R"(,"deletionTimestamp":"2026-01-01T00:00:30Z","deletionGracePeriodSeconds":30)";

struct PodCase {
  const char* name;
  std::string metadata;
  std::optional<std::int64_t> asked;
  Duration later;
  Step step;
  std::int64_t grace;
  const char* deadline;
};

const PodCase kPodCases[] = {
    {"OwnGrace", "", std::nullopt, 0s, Step::kStore, 30, "2026-01-01T00:00:30Z"},
    {"AskedGrace", "", 5, 0s, Step::kStore, 5, "2026-01-01T00:00:05Z"},
    {"NegativeIsOne", "", -1, 0s, Step::kStore, 1, "2026-01-01T00:00:01Z"},
    {"ZeroGoesAtOnce", "", 0, 0s, Step::kStoreThenRemove, 0, "2026-01-01T00:00:00Z"},
    {"LongerChangesNothing", kGoing, 60, 0s, Step::kNothing, 0, ""},
    {"AgainChangesNothing", kGoing, std::nullopt, 0s, Step::kNothing, 0, ""},
    {"ShorterMovesTheEnd", kGoing, 2, 1s, Step::kStore, 2, "2026-01-01T00:00:02Z"},
    {"AnEndThatHasPassedIsNow", kGoing, 2, 10s, Step::kStore, 1, "2026-01-01T00:00:10Z"},
    {"TheKubeletConfirms", kGoing, 0, 10s, Step::kStoreThenRemove, 0, "2026-01-01T00:00:30Z"},
};

TEST(DeletionPlanTest, PodsEndInTheirTime) {
  const ResourcePtr pods = resource("pods");
  for (const PodCase& each : kPodCases) {
    DeleteOptions options;
    options.grace_seconds = each.asked;

    const DeletionPlan plan = plan_deletion(*pods, pod(each.metadata), options, kNow + each.later);

    EXPECT_EQ(plan.step, each.step) << each.name;
    if (plan.step == Step::kNothing) continue;
    const Json& metadata = plan.object.get("metadata");
    EXPECT_EQ(metadata.get("deletionGracePeriodSeconds").integer_or(-1), each.grace) << each.name;
    EXPECT_EQ(metadata.get("deletionTimestamp").text(), each.deadline) << each.name;
  }
}

TEST(DeletionPlanTest, APodWithoutANodeGoesAtOnce) {
  Json unscheduled = pod();
  unscheduled["spec"].erase("nodeName");
  EXPECT_EQ(plan_deletion(*resource("pods"), unscheduled, {}, kNow).step, Step::kStoreThenRemove);
}

struct PolicyCase {
  const char* resource;
  Propagation policy;
  const char* before;
  Step step;
  const char* after;
};

constexpr PolicyCase kPolicyCases[] = {
    {"replicasets", Propagation::kDefault, "[]", Step::kRemove, ""},
    {"replicasets", Propagation::kForeground, "[]", Step::kStore, R"(["foregroundDeletion"])"},
    {"replicasets", Propagation::kOrphan, R"(["a/b"])", Step::kStore, R"(["a/b","orphan"])"},
    {"replicasets", Propagation::kBackground, R"(["orphan"])", Step::kRemove, ""},
    {"replicasets", Propagation::kDefault, R"(["orphan"])", Step::kStore, R"(["orphan"])"},
    {"replicasets", Propagation::kDefault, R"(["a/b"])", Step::kStore, R"(["a/b"])"},
    {"jobs", Propagation::kDefault, "[]", Step::kStore, R"(["orphan"])"},
    {"jobs", Propagation::kBackground, "[]", Step::kRemove, ""},
    {"events", Propagation::kOrphan, "[]", Step::kRemove, ""},
};

TEST(DeletionPlanTest, PoliciesBecomeFinalizers) {
  for (const PolicyCase& each : kPolicyCases) {
    Json object = json_literal(R"({"metadata":{"name":"o"}})");
    object["metadata"].set("finalizers", json_literal(each.before));
    DeleteOptions options;
    options.propagation = each.policy;

    const DeletionPlan plan = plan_deletion(*resource(each.resource), object, options, kNow);

    EXPECT_EQ(plan.step, each.step) << each.resource << each.before;
    if (plan.step == Step::kRemove) {
      EXPECT_EQ(plan.object, object) << "its last state is the stored one";
      continue;
    }
    const Json* after = plan.object.at({"metadata", "finalizers"});
    EXPECT_EQ(after == nullptr ? "" : to_text(*after), each.after) << each.resource << each.before;
  }
}

TEST(DeletionPlanTest, ANamespaceStaysUntilItsFinalizersAreGone) {
  const ResourcePtr namespaces = resource("namespaces");
  const Json fresh =
      json_literal(R"({"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]}})");

  const DeletionPlan first = plan_deletion(*namespaces, fresh, {}, kNow);
  const DeletionPlan second = plan_deletion(*namespaces, first.object, {}, kNow);
  Json emptied = first.object;
  emptied["spec"].erase("finalizers");

  EXPECT_EQ(first.step, Step::kStore);
  EXPECT_EQ(first.object.text_at({"status", "phase"}), "Terminating");
  EXPECT_FALSE(first.object.get("metadata").contains("deletionGracePeriodSeconds"));
  EXPECT_EQ(second.step, Step::kNothing);
  EXPECT_EQ(plan_deletion(*namespaces, emptied, {}, kNow).step, Step::kRemove);
}

TEST(DeletionPlanTest, ADefinitionWaitsForItsObjects) {
  const DeletionPlan plan = plan_deletion(*resource("customresourcedefinitions"),
                                          json_literal(R"({"metadata":{"name":"w"}})"), {}, kNow);

  EXPECT_EQ(plan.step, Step::kStore);
  EXPECT_EQ(plan.object.get("metadata").get("finalizers").items().front().text(),
            kCustomResourceCleanup);
  EXPECT_EQ(plan.object.get("status").get("conditions").items().front().text_at({"type"}),
            "Terminating");
}

}  // namespace
}  // namespace davit::sandbox

#include "plugins/deployment/template_equality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "plugins/deployment/template_hash.hpp"
#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

enum class Verdict { kEqual, kDifferent };

struct TemplateCase {
  const char* name;
  const char* a;
  const char* b;
  Verdict verdict;
};
void PrintTo(const TemplateCase& c, std::ostream* out) { *out << c.name; }

class TemplateEqualityTest : public ::testing::TestWithParam<TemplateCase> {
 protected:
  davit::testing::Cluster cluster;
};

TEST_P(TemplateEqualityTest, ComparesWhatTheTemplatesMean) {
  const TemplateCase& c = GetParam();
  const Value a = cluster.value(c.a);
  const Value b = cluster.value(c.b);
  EXPECT_EQ(equal_templates(a, b), c.verdict == Verdict::kEqual);
  EXPECT_EQ(equal_templates(b, a), c.verdict == Verdict::kEqual) << "the other way round";
}

// Equal templates have one hash; different ones, or different spellings of a quantity, have two.
TEST_P(TemplateEqualityTest, HashAgrees) {
  const TemplateCase& c = GetParam();
  const bool is_respelled = std::string_view(c.name).find("Quantity") != std::string_view::npos;
  const std::string a = template_hash(cluster.value(c.a), std::nullopt);
  const std::string b = template_hash(cluster.value(c.b), std::nullopt);
  EXPECT_EQ(a == b, c.verdict == Verdict::kEqual && !is_respelled);
}

constexpr auto kEqual = Verdict::kEqual;
constexpr auto kDifferent = Verdict::kDifferent;
#define LIMITS(quantity) \
  R"({"spec":{"containers":[{"resources":{"limits":{"cpu":)" quantity "}}}]}}"
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec7_2, TemplateEqualityTest, ::testing::Values(
    TemplateCase{"NothingAtAll", "{}", R"({"metadata":{},"spec":{}})", kEqual},
    TemplateCase{"HashLabelIsIgnored",
      R"({"metadata":{"labels":{"app":"d","pod-template-hash":"x"}}})",
      R"({"metadata":{"labels":{"app":"d"}}})", kEqual},
    TemplateCase{"OnlyTheHashLabel",
      R"({"metadata":{"labels":{"pod-template-hash":"x"}}})",
      R"({"metadata":{"creationTimestamp":null}})", kEqual},
    TemplateCase{"LabelDiffers",
      R"({"metadata":{"labels":{"app":"d"}}})",
      R"({"metadata":{"labels":{"app":"e"}}})", kDifferent},
    TemplateCase{"LabelIsExtra",
      R"({"metadata":{"labels":{"app":"d"}}})",
      R"({"metadata":{"labels":{"app":"d","x":""}}})", kDifferent},
    TemplateCase{"NullTimestamp",
      R"({"metadata":{"creationTimestamp":null},"spec":{}})",
      R"({"metadata":{},"spec":{}})", kEqual},
    TemplateCase{"D19AnnotationAdded",
      R"({"metadata":{"annotations":{"a":"b"}}})", R"({"metadata":{}})", kDifferent},
    TemplateCase{"EmptyAnnotations",
      R"({"metadata":{"annotations":{}}})", R"({"metadata":{}})", kEqual},
    TemplateCase{"EmptyListIsAbsent", R"({"spec":{"volumes":[]}})", R"({"spec":{}})", kEqual},
    TemplateCase{"NullListIsAbsent", R"({"spec":{"volumes":null}})", R"({"spec":{}})", kEqual},
    TemplateCase{"D16ListsAreOrdered",
      R"({"spec":{"containers":[{"env":[{"name":"a"},{"name":"b"}]}]}})",
      R"({"spec":{"containers":[{"env":[{"name":"b"},{"name":"a"}]}]}})", kDifferent},
    TemplateCase{"EmptyPointerIsNotAbsent",
      R"({"spec":{"securityContext":{}}})", R"({"spec":{}})", kDifferent},
    TemplateCase{"EmptyDirIsNotAbsent",
      R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
      R"({"spec":{"volumes":[{"name":"v"}]}})", kDifferent},
    TemplateCase{"EmbeddedResourcesMayBeAbsent",
      R"({"spec":{"containers":[{"name":"c","resources":{}}]}})",
      R"({"spec":{"containers":[{"name":"c"}]}})", kEqual},
    TemplateCase{"EmbeddedResourcesOfNothing",
      R"({"spec":{"containers":[{"name":"c","resources":{"limits":{},"claims":[]}}]}})",
      R"({"spec":{"containers":[{"name":"c"}]}})", kEqual},
    TemplateCase{"EmbeddedPodAffinityTerm",
      R"({"spec":{"x":[{"podAffinityTerm":{}}]}})", R"({"spec":{"x":[{}]}})", kEqual},
    TemplateCase{"D17EmptyLabelSelectorMatchesAll",
      R"({"spec":{"x":[{"topologyKey":"z","labelSelector":{}}]}})",
      R"({"spec":{"x":[{"topologyKey":"z"}]}})", kDifferent},
    TemplateCase{"OptionalScalarZeroIsNotAbsent",
      R"({"spec":{"terminationGracePeriodSeconds":0}})", R"({"spec":{}})", kDifferent},
    TemplateCase{"D18PortTypesMatter",
      R"({"spec":{"port":80}})", R"({"spec":{"port":"80"}})", kDifferent},
    TemplateCase{"D14CpuQuantity", LIMITS(R"("1")"), LIMITS(R"("1000m")"), kEqual},
    TemplateCase{"CpuQuantityAsNumber", LIMITS(R"("2")"), LIMITS("2"), kEqual},
    TemplateCase{"QuantityDiffers", LIMITS(R"("1")"), LIMITS(R"("1001m")"), kDifferent},
    TemplateCase{"LimitOfZeroIsNotAbsent", LIMITS(R"("0")"),
      R"({"spec":{"containers":[{"resources":{"limits":{}}}]}})", kDifferent},
    TemplateCase{"D15MemoryQuantity",
      R"({"spec":{"overhead":{"memory":"1Gi"}}})",
      R"({"spec":{"overhead":{"memory":"1073741824"}}})", kEqual},
    TemplateCase{"SizeLimitQuantity",
      R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"1024Mi"}}]}})",
      R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"1Gi"}}]}})", kEqual},
    TemplateCase{"SizeLimitOfZeroIsNotAbsent",
      R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"0"}}]}})",
      R"({"spec":{"volumes":[{"emptyDir":{}}]}})", kDifferent},
    TemplateCase{"EmptyResourcesOfThePodAreNotAbsent",
      R"({"spec":{"resources":{}}})", R"({"spec":{}})", kDifferent},
    TemplateCase{"PodResourcesQuantity",
      R"({"spec":{"resources":{"limits":{"cpu":"1"}}}})",
      R"({"spec":{"resources":{"limits":{"cpu":"1000m"}}}})", kEqual},
    TemplateCase{"DivisorQuantityOfZeroIsAbsent",
      R"({"spec":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}})",
      R"({"spec":{"resourceFieldRef":{"resource":"limits.cpu"}}})", kEqual},
    TemplateCase{"LabelNamedLimitsIsNoQuantity",
      R"({"spec":{"nodeSelector":{"sizeLimit":"1"}}})",
      R"({"spec":{"nodeSelector":{"sizeLimit":"1000m"}}})", kDifferent},
    TemplateCase{"UnknownFieldsCount",
      R"({"spec":{"fieldOfTomorrow":1}})", R"({"spec":{}})", kDifferent},
    TemplateCase{"TextIsByteExact",
      R"({"spec":{"image":"a"}})", R"({"spec":{"image":"A"}})", kDifferent},
    TemplateCase{"MemberOrderIsNoDifference",
      R"({"spec":{"a":"1","b":"2"}})", R"({"spec":{"b":"2","a":"1"}})", kEqual}),
    [](const auto& each) { return std::string(each.param.name); });
// clang-format on

TEST(TemplateHashTest, EveryCollisionCountGivesAnotherHash) {
  davit::testing::Cluster cluster;
  const Value value = cluster.value(R"({"metadata":{"labels":{"app":"d"}},"spec":{"x":1}})");
  const std::string none = template_hash(value, std::nullopt);
  EXPECT_NE(none, template_hash(value, 0));
  EXPECT_NE(template_hash(value, 0), template_hash(value, 1));
  EXPECT_NE(template_hash(value, 1), template_hash(value, 2));
  EXPECT_EQ(none, template_hash(value, std::nullopt));
}

// Names depend on it: when this fails, read the decision note on the hash first.
TEST(TemplateHashTest, FormIsPinned) {
  davit::testing::Cluster cluster;
  const Value value = cluster.value(R"({"metadata":{"labels":{"app":"nginx"}},)"
                                    R"("spec":{"containers":[{"image":"nginx:1.14.2"}]}})");
  EXPECT_EQ(template_hash(value, std::nullopt), "6848fd674b");
}

TEST(NewSetTest, D13SetWithAForeignHashLabelIsTaken) {
  World world;
  world.create(3, "a");
  world.seed(
      {.name = "legacy-xyz", .image = "a", .replicas = 3, .available = 3, .hash = "foreign"});
  world.run_until_idle();
  EXPECT_EQ(world.sets().size(), 1U);
  EXPECT_THAT(world.events(), ::testing::IsEmpty());
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST(NewSetTest, FoundSetStartsTheProgressClock) {
  World world;
  world.create(3, "a");
  world.seed({.name = "legacy", .image = "a", .replicas = 3});
  world.cluster().merge<ReplicaSet>({"default", "legacy"},
                                    R"({"status":{"replicas":0,"fullyLabeledReplicas":0}})");
  world.sync();
  EXPECT_EQ(world.condition("Progressing"), "True/FoundNewReplicaSet");
  EXPECT_EQ(world.deployment().condition("Progressing")->message(),
            "Found new replica set \"legacy\"");
}

/// A Deployment of one container, rolled out, then edited: rows D15 to D18 as a user meets them.
class TemplateEditTest : public ::testing::Test {
 protected:
  using Edit = std::function<void(davit::testing::Json& pod, davit::testing::Json& container)>;

  void begin(const Edit& edit) {
    davit::testing::Json deployment = World::blueprint(1, "a");
    apply(deployment, edit);
    world_.create(deployment);
    world_.run_until_idle();
    ASSERT_EQ(world_.sets().size(), 1U);
  }
  void change(const Edit& edit) {
    world_.edit([&](davit::testing::Json& d) { apply(d, edit); });
    world_.run_until_idle();
  }
  void expect_revision(std::string_view revision, std::size_t sets) {
    EXPECT_EQ(world_.deployment().annotation("deployment.kubernetes.io/revision"), revision);
    EXPECT_EQ(world_.sets().size(), sets);
  }

 private:
  static void apply(davit::testing::Json& deployment, const Edit& edit) {
    davit::testing::Json& pod = deployment["spec"]["template"]["spec"];
    edit(pod, pod["containers"].items()[0]);
  }

  World world_;
};

using davit::testing::Json;

TEST_F(TemplateEditTest, D15MemoryInOtherUnitsRollsNothingOut) {
  begin([](Json&, Json& container) { container["resources"]["limits"]["memory"] = "1Gi"; });
  change([](Json&, Json& container) { container["resources"]["limits"]["memory"] = "1073741824"; });
  expect_revision("1", 1);
}

TEST_F(TemplateEditTest, D16VariablesInAnotherOrderAreAnotherTemplate) {
  begin([](Json&, Json& container) {
    container["env"] = Json::must(R"([{"name":"a","value":"1"},{"name":"b","value":"2"}])");
  });
  change([](Json&, Json& container) {
    container["env"] = Json::must(R"([{"name":"b","value":"2"},{"name":"a","value":"1"}])");
  });
  expect_revision("2", 2);
}

TEST_F(TemplateEditTest, D17ASelectorOfAllWhereThereWasNoneIsAnotherTemplate) {
  const auto spread_by = [](Json& pod, const char* term) {
    pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        Json::must(term);
  };
  begin([&](Json& pod, Json&) { spread_by(pod, R"([{"topologyKey":"zone"}])"); });
  change(
      [&](Json& pod, Json&) { spread_by(pod, R"([{"topologyKey":"zone","labelSelector":{}}])"); });
  expect_revision("2", 2);
}

TEST_F(TemplateEditTest, D18ANamedPortForANumberIsAnotherTemplate) {
  begin([](Json&, Json& container) { container["readinessProbe"]["httpGet"]["port"] = 80; });
  change([](Json&, Json& container) { container["readinessProbe"]["httpGet"]["port"] = "http"; });
  expect_revision("2", 2);
}

TEST(NewSetTest, D14SpellingAQuantityDifferentlyRollsNothingOut) {
  World world;
  davit::testing::Json deployment = World::blueprint(1, "a");
  auto& container = deployment["spec"]["template"]["spec"]["containers"].items()[0];
  container["resources"]["limits"]["cpu"] = "1";
  world.create(deployment);
  world.run_until_idle();
  world.edit([](davit::testing::Json& d) {
    d["spec"]["template"]["spec"]["containers"].items()[0]["resources"]["limits"]["cpu"] = "1000m";
  });
  world.run_until_idle();
  EXPECT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
}

TEST(NewSetTest, D19AnnotationOfTheTemplateMakesANewSet) {
  World world;
  world.create(1, "a");
  world.run_until_idle();
  world.merge(R"({"spec":{"template":{"metadata":{"annotations":{"restartedAt":"now"}}}}})");
  world.run_until_idle();
  EXPECT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "2");
}

TEST(NewSetTest, D20OldestOfTwoEqualSetsWins) {
  World world;
  world.create(2, "a");
  world.seed({.name = "d-z", .image = "a", .replicas = 0});
  world.seed({.name = "d-a", .image = "a", .replicas = 2, .available = 2});
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.sets()[0].name(), "d-z");
  EXPECT_EQ(world.sets()[0].replicas(), 2);
  EXPECT_EQ(world.sets()[1].replicas(), 0);
}

}  // namespace
}  // namespace davit::deployment

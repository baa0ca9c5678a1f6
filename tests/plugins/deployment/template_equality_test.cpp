#include "plugins/deployment/template_equality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/deployment/template_hash.hpp"
#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

enum class Answer { kEqual, kDifferent };

struct TemplateCase {
  const char* name;
  const char* a;
  const char* b;
  Answer answer;
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
  EXPECT_EQ(equal_templates(a, b), c.answer == Answer::kEqual);
  EXPECT_EQ(equal_templates(b, a), c.answer == Answer::kEqual) << "the other way round";
  EXPECT_TRUE(equal_templates(a, a));
}

// What is equal has one hash, unless quantities are spelled differently; what differs has two.
TEST_P(TemplateEqualityTest, HashAgrees) {
  const TemplateCase& c = GetParam();
  if (std::string_view(c.name).find("Quantity") != std::string_view::npos) return;
  const std::string a = template_hash(cluster.value(c.a), std::nullopt);
  const std::string b = template_hash(cluster.value(c.b), std::nullopt);
  EXPECT_EQ(a == b, c.answer == Answer::kEqual);
}

constexpr auto kEqual = Answer::kEqual;
constexpr auto kDifferent = Answer::kDifferent;
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
  world.settle();
  EXPECT_EQ(world.sets().size(), 1U);
  EXPECT_THAT(world.events(), ::testing::IsEmpty());
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST(NewSetTest, FoundSetStartsTheProgressClock) {
  World world;
  world.set_health("a", Health::kNeverReady);
  world.create(3, "a");
  world.seed({.name = "legacy", .image = "a", .replicas = 3});
  world.sync();
  EXPECT_THAT(world.condition("Progressing"),
              ::testing::AnyOf("True/FoundNewReplicaSet", "True/ReplicaSetUpdated"));
}

// D14, D15, D16, D18, D19 as a user meets them.
TEST(NewSetTest, D14SpellingAQuantityDifferentlyRollsNothingOut) {
  World world;
  davit::testing::Json deployment = World::blueprint(1, "a");
  auto& container = deployment["spec"]["template"]["spec"]["containers"].items()[0];
  container["resources"]["limits"]["cpu"] = "1";
  world.create(deployment);
  world.settle();
  world.edit([](davit::testing::Json& d) {
    d["spec"]["template"]["spec"]["containers"].items()[0]["resources"]["limits"]["cpu"] = "1000m";
  });
  world.settle();
  EXPECT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
}

TEST(NewSetTest, D19AnnotationOfTheTemplateMakesANewSet) {
  World world;
  world.create(1, "a");
  world.settle();
  world.merge(R"({"spec":{"template":{"metadata":{"annotations":{"restartedAt":"now"}}}}})");
  world.settle();
  EXPECT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "2");
}

TEST(NewSetTest, D20OldestOfTwoEqualSetsWins) {
  World world;
  world.create(2, "a");
  world.seed({.name = "d-z", .image = "a", .replicas = 0});
  world.seed({.name = "d-a", .image = "a", .replicas = 2, .available = 2});
  world.settle();
  ASSERT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.sets()[0].name(), "d-z");
  EXPECT_EQ(world.sets()[0].replicas(), 2);
  EXPECT_EQ(world.sets()[1].replicas(), 0);
}

}  // namespace
}  // namespace davit::deployment

#include "plugins/statefulset/semantic_equality.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

namespace davit::statefulset {
namespace {

struct EqualityCase {
  const char* name;
  const char* stored;
  const char* present;
  bool equal;
};
void PrintTo(const EqualityCase& c, std::ostream* out) { *out << c.name; }

class SemanticEqualityTest : public ::testing::TestWithParam<EqualityCase> {};

TEST_P(SemanticEqualityTest, ComparesWhatAnOlderServerMeant) {
  const EqualityCase& c = GetParam();
  davit::testing::Cluster cluster;
  EXPECT_EQ(restores_to(cluster.value(c.stored), cluster.value(c.present)), c.equal);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec9_2, SemanticEqualityTest, ::testing::Values(
    EqualityCase{"Same", R"({"$patch":"replace","spec":{"a":[1,{"b":"c"}]}})",
                 R"({"spec":{"a":[1,{"b":"c"}]}})", true},
    EqualityCase{"NullsDoNotCount", R"({"metadata":{"creationTimestamp":null,"labels":{"a":"b"}}})",
                 R"({"metadata":{"labels":{"a":"b"},"name":null}})", true},
    EqualityCase{"NullAgainstAValue", R"({"spec":{"x":null}})", R"({"spec":{"x":1}})", false},
    EqualityCase{"NullAgainstADefault", R"({"spec":{"dnsPolicy":null}})",
                 R"({"spec":{"dnsPolicy":"ClusterFirst"}})", true},
    EqualityCase{"DefaultsMayBeNew", R"({"spec":{"containers":[{"name":"c"}]}})",
                 R"({"spec":{"containers":[{"name":"c","resources":{},
                     "terminationMessagePolicy":"File"}],"restartPolicy":"Always",
                     "terminationGracePeriodSeconds":30}})", true},
    EqualityCase{"OtherValuesMayNot", R"({"spec":{}})",
                 R"({"spec":{"terminationGracePeriodSeconds":5}})", false},
    EqualityCase{"UnknownMembersMayNot", R"({"spec":{}})", R"({"spec":{"new":true}})", false},
    EqualityCase{"StoredMembersMustBeThere", R"({"spec":{"dnsPolicy":"ClusterFirst"}})",
                 R"({"spec":{}})", false},
    EqualityCase{"ALabelHasNoDefault", R"({"metadata":{"labels":{}}})",
                 R"({"metadata":{"labels":{"dnsPolicy":"ClusterFirst"}}})", false},
    EqualityCase{"ALabelCalledPatch", R"({"metadata":{"labels":{"$patch":"x"}}})",
                 R"({"metadata":{"labels":{}}})", false},
    EqualityCase{"ListsAreOrdered", R"({"spec":{"a":["x","y"]}})", R"({"spec":{"a":["y","x"]}})",
                 false},
    EqualityCase{"ListsAreWhole", R"({"spec":{"a":["x"]}})", R"({"spec":{"a":["x","y"]}})", false},
    EqualityCase{"QuantitiesAreText", R"({"spec":{"cpu":"1"}})", R"({"spec":{"cpu":"1000m"}})",
                 false},
    EqualityCase{"KindsDiffer", R"({"spec":{"a":{}}})", R"({"spec":{"a":[]}})", false},
    EqualityCase{"NoTemplate", R"("x")", R"("x")", false}));
// clang-format on

}  // namespace
}  // namespace davit::statefulset

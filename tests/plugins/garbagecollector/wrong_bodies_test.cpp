/// Responses that are not what was asked for prove nothing.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct BodyCase {
  const char* name;
  int http_status;
  const char* body;
};
constexpr BodyCase kBodies[] = {
    {"Empty", 200, "{}"},
    {"Status", 200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"},
    {"NotFoundInASuccess", 200,
     R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})"},
    {"NoMetadata", 200, R"({"kind":"ConfigMap","apiVersion":"v1"})"},
    {"OtherKind", 200,
     R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"o",)"
     R"("namespace":"ns","uid":"other","resourceVersion":"1"}})"},
    {"OtherObject", 200,
     R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"p",)"
     R"("namespace":"ns","uid":"other","resourceVersion":"1"}})"},
    {"NoUid", 200,
     R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
     R"("metadata":{"name":"o","namespace":"ns","resourceVersion":"1"}})"},
    {"PageOfAProxy", 404, "404 page not found"},
};

/// d is owned by o and p; p goes.
class WrongBodyTest : public GarbageTest, public ::testing::WithParamInterface<BodyCase> {};
INSTANTIATE_TEST_SUITE_P(Each, WrongBodyTest, ::testing::ValuesIn(kBodies),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(WrongBodyTest, OfAnOwnerDoesNotMakeItAbsent) {
  const Thing o = create("o");
  const Thing p = create("p");
  const Thing d = create_owned("d", {own(o), own(p)});
  start();
  cluster().fail_next({.verb = Verb::kGet,
                       .name = "o",
                       .http_status = GetParam().http_status,
                       .times = Fault::kAlways,
                       .body = GetParam().body});
  erase(p);
  advance(1min);
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(owners(d), ElementsAre("o", "p"));

  cluster().clear_faults();
  advance(20min);
  EXPECT_THAT(owners(d), ElementsAre("o"));
}

TEST_P(WrongBodyTest, OfADependentDoesNotMakeItAbsentForItsOwnDependents) {
  const Thing p = create("p");
  const Thing o = create_owned("o", {own(p)}, R"(["f.io/keep"])");
  const Thing e = create_owned("e", {own(o)});
  start();
  cluster().fail_next({.verb = Verb::kGet,
                       .name = "o",
                       .http_status = GetParam().http_status,
                       .times = Fault::kAlways,
                       .body = GetParam().body});
  erase(p);
  advance(1min);
  EXPECT_TRUE(exists(e));
  EXPECT_THAT(owners(e), ElementsAre("o"));
}

using PatchAbsenceTest = GarbageTest;

TEST_F(PatchAbsenceTest, NotFoundOfAPatchDoesNotDeleteTheDependentsOfItsObject) {
  const Thing o = create("o");
  const Thing p = create("p");
  const Thing d = create_owned("d", {own(o), own(p)});
  const Thing e = create_owned("e", {own(d)});
  start();
  fail(Verb::kPatch, "d", 404, 1);
  erase(p);
  advance(1min);
  EXPECT_TRUE(exists(e));
  EXPECT_THAT(owners(d), ElementsAre("o"));
}

TEST_F(PatchAbsenceTest, NotFoundOfAPatchDoesNotEndAnOrphaning) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  start();
  fail(Verb::kPatch, "d", 404, 1);
  erase(o, "Orphan");
  advance(1min);
  EXPECT_FALSE(exists(o));
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(owners(d), IsEmpty());
}

TEST_F(PatchAbsenceTest, NotFoundOfAFinalizersPatchIsAskedForOnceMore) {
  const Thing o = create("o");
  start();
  fail(Verb::kPatch, "o", 404, 1);
  erase(o, "Orphan");
  run();
  EXPECT_THAT(texts("o"), ElementsAre("get configmaps/o 200", "patch configmaps/o 404",
                                      "get configmaps/o 200", "patch configmaps/o 200"));
  EXPECT_FALSE(exists(o));
}

}  // namespace
}  // namespace davit::garbage

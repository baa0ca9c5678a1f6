// Types that davit_codegen() made of tests/cli/codegen/gadget.yaml at build time, on the in-memory
// cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <davit/testing/cluster.hpp>
#include <fstream>
#include <sstream>

#include "gadget.hpp"

namespace davit {
namespace {

namespace gadget = test::v1;
using gadget::Gadget;
using gadget::GadgetDraft;
using gadget::GadgetSpecMode;

const Key kFirst{"default", "first"};

GadgetDraft full_draft() {
  return {.metadata = {.name = "first", .ns = "default", .labels = {{"app", "gadget"}}},
          .spec = {.size = 3,
                   .mode = GadgetSpecMode::kN1_2,
                   .ratio = 0.25,
                   .paused = false,
                   .start_time = testing::ClusterOptions().start,
                   .timeout = "1m30s",
                   .port = "http",
                   .memory = "1Gi",
                   .extra = draft::Raw(R"({"any":[1]})"),
                   .class_ = "best",
                   .n2fa = true,
                   .pod_ips = {"10.0.0.1", "10.0.0.2"},
                   .tags = {"a", "b"},
                   .limits = {{"cpu", "500m"}},
                   .box = {.lid = "oak", .others = {{"colour", draft::Raw("\"red\"")}}},
                   .parts = {{.name = "axle", .slot = 1, .cost = 7}, {.name = "axle", .slot = 2}},
                   .drawers = {{"top", {{.depth = 4}}}},
                   .template_ = {{.metadata = {{.labels = {{"tier", "1"}}}},
                                  .spec = draft::Raw(R"({"x":1})")}}}};
}

class CodegenUseTest : public ::testing::Test {
 protected:
  Gadget gadget(std::string_view spec) {
    return cluster_.view_of<Gadget>(R"({"metadata":{"name":"first"},"spec":)" + std::string(spec) +
                                    "}");
  }

  testing::Cluster cluster_;
};

TEST_F(CodegenUseTest, ViewReadsWhatTheDraftWrote) {
  cluster_.add(json_of(full_draft()));

  const Gadget read = *cluster_.find<Gadget>(kFirst);

  EXPECT_EQ(read.label("app"), "gadget");
  EXPECT_EQ(read.spec().size(), 3);
  EXPECT_EQ(read.spec().mode(), GadgetSpecMode::kN1_2);
  EXPECT_EQ(read.spec().ratio(), 0.25);
  EXPECT_EQ(read.spec().paused(), false);
  EXPECT_EQ(read.spec().start_time(), testing::ClusterOptions().start);
  EXPECT_EQ(read.spec().timeout(), std::chrono::seconds(90));
  EXPECT_EQ(read.spec().port().text(), "http");
  EXPECT_EQ(read.spec().memory()->milli(), (std::int64_t{1} << 30) * 1000);
  EXPECT_EQ(read.spec().extra()["any"].at(0).integer(), 1);
  EXPECT_EQ(read.spec().class_(), "best");
  EXPECT_EQ(read.spec().n2fa(), true);
  EXPECT_EQ(read.spec().pod_ips()[1], "10.0.0.2");
  EXPECT_EQ(read.spec().limits().find("cpu")->milli(), 500);
  EXPECT_EQ(read.spec().box().lid(), "oak");
  EXPECT_EQ(read.spec().box().raw()["colour"].string(), "red");
  EXPECT_EQ(read.spec().parts_by_name_and_slot("axle", 1)->cost(), 7);
  EXPECT_FALSE(read.spec().parts_by_name_and_slot("axle", 3));
  EXPECT_EQ((*read.spec().drawers().find("top"))[0].depth(), 4);
  EXPECT_EQ(read.spec().template_().metadata().labels()["tier"].string(), "1");
  EXPECT_TRUE(follows(read, full_draft()));
}

TEST_F(CodegenUseTest, AbsentFieldsReadAsDefaultsAndNothing) {
  const Gadget read = gadget("{}");

  EXPECT_EQ(read.spec().mode(), GadgetSpecMode::kFast);
  EXPECT_EQ(read.spec().title(), "a \"quoted\" title");
  EXPECT_EQ(read.spec().ratio(), 0.5);
  EXPECT_EQ(read.spec().enabled(), true);
  EXPECT_EQ(read.spec().size(), 0);
  EXPECT_EQ(read.spec().shade(), std::nullopt);
  EXPECT_EQ(read.spec().weight(), std::nullopt);
  EXPECT_EQ(read.spec().paused(), std::nullopt);
  EXPECT_EQ(read.spec().start_time(), std::nullopt);
  EXPECT_EQ(read.spec().memory(), std::nullopt);
  EXPECT_FALSE(read.spec().port());
  EXPECT_FALSE(read.spec().template_());
  EXPECT_TRUE(read.spec().parts().empty());
  EXPECT_FALSE(read.status().condition("Ready"));
}

TEST_F(CodegenUseTest, UnknownTextOfAnEnumIsUnrecognized) {
  EXPECT_EQ(gadget(R"({"mode":"Slow"})").spec().mode(), GadgetSpecMode::kUnrecognized);
  EXPECT_EQ(gadget(R"({"mode":""})").spec().mode(), GadgetSpecMode::kEmpty);
  EXPECT_EQ(gadget(R"({"shade":5})").spec().shade(), gadget::GadgetSpecShade::kUnrecognized);
}

TEST_F(CodegenUseTest, ConditionsAreFoundByType) {
  const auto read =
      cluster_.view_of<Gadget>(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");

  EXPECT_TRUE(read.status().condition("Ready")->is_true());
  EXPECT_FALSE(read.status().condition("Other"));
}

struct FollowCase {
  std::string_view name;
  std::string_view spec;  ///< The live object's.
  bool follows;
};

class FollowsTest : public CodegenUseTest, public ::testing::WithParamInterface<FollowCase> {};

TEST_P(FollowsTest, ComparesWhatTheDraftSets) {
  const GadgetDraft wanted{.spec = {.size = 0,
                                    .mode = GadgetSpecMode::kFast,
                                    .paused = false,
                                    .timeout = "60s",
                                    .memory = "1Gi",
                                    .tags = {"a", "b"},
                                    .limits = {{"cpu", "500m"}},
                                    .parts = {{.name = "x", .slot = 1}, {.name = "y", .slot = 2}}}};

  EXPECT_EQ(follows(gadget(GetParam().spec), wanted), GetParam().follows);
}

constexpr FollowCase kFollowCases[] = {
    {"WithDefaultsAndOtherOrder",
     R"({"size":0,"mode":"Fast","paused":false,"timeout":"1m","memory":"1024Mi","tags":["b","a"],
         "limits":{"cpu":0.5,"gpu":"1"},"enabled":true,
         "parts":[{"name":"y","slot":2,"cost":5},{"name":"x","slot":1}]})",
     true},
    {"AbsenceEqualsEmptyValues",
     R"({"mode":"Fast","timeout":"60s","memory":"1Gi","tags":["a","b"],"limits":{"cpu":"500m"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":2}]})",
     true},
    {"AnotherEnum",
     R"({"mode":"fast","timeout":"60s","memory":"1Gi","tags":["a","b"],"limits":{"cpu":"500m"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":2}]})",
     false},
    {"AnotherQuantity",
     R"({"mode":"Fast","timeout":"60s","memory":"1G","tags":["a","b"],"limits":{"cpu":"500m"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":2}]})",
     false},
    {"OneElementMore",
     R"({"mode":"Fast","timeout":"60s","memory":"1Gi","tags":["a","b"],"limits":{"cpu":"500m"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":2},{"name":"z","slot":3}]})",
     false},
    {"AnotherKey",
     R"({"mode":"Fast","timeout":"60s","memory":"1Gi","tags":["a","b"],"limits":{"cpu":"500m"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":3}]})",
     false},
    {"MapWithoutTheEntry",
     R"({"mode":"Fast","timeout":"60s","memory":"1Gi","tags":["a","b"],"limits":{"gpu":"1"},
         "parts":[{"name":"x","slot":1},{"name":"y","slot":2}]})",
     false},
    {"NothingThere", "{}", false},
};
INSTANTIATE_TEST_SUITE_P(, FollowsTest, ::testing::ValuesIn(kFollowCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(CodegenUseTest, OrderedListsFollowInOrderOnly) {
  const GadgetDraft wanted{.spec = {.pod_ips = {"1.1.1.1", "2.2.2.2"}}};

  EXPECT_TRUE(follows(gadget(R"({"podIPs":["1.1.1.1","2.2.2.2"]})"), wanted));
  EXPECT_FALSE(follows(gadget(R"({"podIPs":["2.2.2.2","1.1.1.1"]})"), wanted));
  const GadgetDraft none{.spec = {.pod_ips = draft::List<draft::Text>::of_none()}};
  EXPECT_TRUE(follows(gadget("{}"), none));
}

TEST_F(CodegenUseTest, OptionalPartFollowsOnlyIfItIsThere) {
  const GadgetDraft wanted{.spec = {.template_ = gadget::GadgetSpecTemplateDraft{}}};

  EXPECT_TRUE(follows(gadget(R"({"template":{}})"), wanted));
  EXPECT_FALSE(follows(gadget("{}"), wanted));
}

TEST_F(CodegenUseTest, UnsetMembersAreNotWritten) {
  EXPECT_EQ(json_of(GadgetDraft{.metadata = {.name = "x"}}),
            R"({"apiVersion":"test.davit.dev/v1","kind":"Gadget","metadata":{"name":"x"},)"
            R"("spec":{"box":{}}})");
}

TEST_F(CodegenUseTest, FieldPathsAreWhatANoteDeclares) {
  const auto has = [](std::string_view path) {
    return std::ranges::find(Gadget::kFieldPaths, path) != Gadget::kFieldPaths.end();
  };

  EXPECT_TRUE(has("spec.parts[].slot"));
  EXPECT_TRUE(has("spec.limits"));
  EXPECT_TRUE(has("status.conditions"));
  EXPECT_FALSE(has("spec"));
}

TEST_F(CodegenUseTest, ServedVersionsHaveNamespacesOfTheirOwn) {
  EXPECT_EQ(test::v1beta1::Gadget::kResource.version, "v1beta1");
}

}  // namespace
}  // namespace davit

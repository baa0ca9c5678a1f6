#include <gtest/gtest.h>

#include "lib/kube/patch/patch.hpp"

namespace davit {
namespace {

/// The patched kind: only nodes have lists of values that merge.
const Message& pod_or_node(std::string_view patch) {
  const bool node = patch.find("podCIDRs") != std::string_view::npos;
  return *find_schema("v1", node ? "Node" : "Pod");
}

struct Case {
  const char* name;
  const char* spec;    ///< The stored pod's spec.
  const char* patch;   ///< A patch of its spec.
  const char* result;  ///< The spec afterwards.
};

constexpr Case kCases[] = {
    {"MapsMerge", R"({"nodeName":"a","restartPolicy":"Never"})", R"({"nodeName":"b","priority":1})",
     R"({"nodeName":"b","restartPolicy":"Never","priority":1})"},
    {"NullDeletes", R"({"nodeName":"a","restartPolicy":"Never"})",
     R"({"nodeName":null,"priority":null})", R"({"restartPolicy":"Never"})"},
    {"ElementMergesByKey", R"({"containers":[{"name":"c","image":"i"}]})",
     R"({"containers":[{"name":"c","env":[{"name":"E","value":"1"}]}]})",
     R"({"containers":[{"name":"c","image":"i","env":[{"name":"E","value":"1"}]}]})"},
    {"NestedElementIsDeleted",
     R"({"containers":[{"name":"c","env":[{"name":"E","value":"1"},{"name":"F"}]}]})",
     R"({"containers":[{"name":"c","env":[{"name":"E","$patch":"delete"}]}]})",
     R"({"containers":[{"name":"c","env":[{"name":"F"}]}]})"},
    {"NewElementsComeBeforeTheRemaining", R"({"containers":[{"name":"c1"},{"name":"c2"}]})",
     R"({"containers":[{"name":"c0"}]})",
     R"({"containers":[{"name":"c0"},{"name":"c1"},{"name":"c2"}]})"},
    {"KnownElementsKeepTheirPlace", R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
     R"({"containers":[{"name":"c","image":"i"}]})",
     R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c","image":"i"}]})"},
    {"PatchOrderWins", R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
     R"({"containers":[{"name":"c"},{"name":"a"}]})",
     R"({"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]})"},
    {"ElementDirectiveReplacesTheList", R"({"containers":[{"name":"a"},{"name":"b"}]})",
     R"({"containers":[{"name":"z","image":"i"},{"$patch":"replace"}]})",
     R"({"containers":[{"name":"z","image":"i"}]})"},
    {"MapDirectiveReplacesTheMap", R"({"volumes":[{"name":"v","emptyDir":{"medium":"x"}}]})",
     R"({"volumes":[{"name":"v","emptyDir":{"$patch":"replace"}}]})",
     R"({"volumes":[{"name":"v","emptyDir":{}}]})"},
    {"MapDirectiveEmptiesTheMap", R"({"nodeSelector":{"a":"b"}})",
     R"({"nodeSelector":{"$patch":"delete"}})", R"({"nodeSelector":{}})"},
    {"RetainKeysDropsTheOthers", R"({"volumes":[{"name":"v","emptyDir":{}}]})",
     R"({"volumes":[{"name":"v","$retainKeys":["name","secret"],"secret":{"secretName":"s"}}]})",
     R"({"volumes":[{"name":"v","secret":{"secretName":"s"}}]})"},
    {"UnlistedListsAreReplaced", R"({"tolerations":[{"key":"a"},{"key":"b"}]})",
     R"({"tolerations":[{"key":"c"}]})", R"({"tolerations":[{"key":"c"}]})"},
    {"PrimitivesUnite", R"({"podCIDRs":["a","b"]})", R"({"podCIDRs":["b","c"]})",
     R"({"podCIDRs":["a","b","c"]})"},
    {"NewPrimitivesComeFirst", R"({"podCIDRs":["a","b"]})", R"({"podCIDRs":["c"]})",
     R"({"podCIDRs":["c","a","b"]})"},
    {"PrimitivesAreDeleted", R"({"podCIDRs":["a","b","c"]})",
     R"({"$deleteFromPrimitiveList/podCIDRs":["b","z"]})", R"({"podCIDRs":["a","c"]})"},
    {"OrderOfPrimitives", R"({"podCIDRs":["a","b","c"]})",
     R"({"$setElementOrder/podCIDRs":["c","a"]})", R"({"podCIDRs":["b","c","a"]})"},
    {"OrderWithoutChange", R"({"containers":[{"name":"a"},{"name":"b"}]})",
     R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})",
     R"({"containers":[{"name":"b"},{"name":"a"}]})"},
    {"OrderWithChange", R"({"containers":[{"name":"a"},{"name":"b"},{"name":"x"}]})",
     R"({"$setElementOrder/containers":[{"name":"b"},{"name":"n"},{"name":"a"}],
          "containers":[{"name":"n","image":"i"}]})",
     R"({"containers":[{"name":"b"},{"name":"n","image":"i"},{"name":"a"},{"name":"x"}]})"},
    {"OrderWithDeletion", R"({"containers":[{"name":"a"},{"name":"b"}]})",
     R"({"$setElementOrder/containers":[{"name":"b"}],
          "containers":[{"name":"a","$patch":"delete"}]})",
     R"({"containers":[{"name":"b"}]})"},
    {"OrderOfANewList", R"({"nodeName":"n"})",
     R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","image":null}]})",
     R"({"nodeName":"n","containers":[{"name":"a"}]})"},
    {"OrderOfNothing", R"({"nodeName":"n"})", R"({"$setElementOrder/containers":[{"name":"a"}]})",
     R"({"nodeName":"n"})"},
    {"DirectivesOfNewPartsVanish", R"({})",
     R"({"containers":[{"name":"a","$setElementOrder/env":[{"name":"E"}],
          "env":[{"name":"E"},{"name":"F","$patch":"delete"}]}]})",
     R"({"containers":[{"name":"a","env":[{"name":"E"}]}]})"},
    {"PortsMergeByNumberOnly",
     R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"}]}]})",
     R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"UDP"}]}]})",
     R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"UDP"}]}]})"},
    {"NullElementsOfNewMapsVanish", R"({})", R"({"nodeSelector":{"a":"b","c":null}})",
     R"({"nodeSelector":{"a":"b"}})"},
};

class StrategicPatchRules : public testing::TestWithParam<Case> {};

TEST_P(StrategicPatchRules, GivesTheListedResult) {
  Json pod = Json::object({{"spec", json_literal(GetParam().spec)}});
  const Json patch = Json::object({{"spec", json_literal(GetParam().patch)}});

  const PatchOutcome outcome = apply_strategic_patch(pod, patch, pod_or_node(GetParam().patch));

  ASSERT_FALSE(outcome) << outcome->message;
  EXPECT_EQ(pod.get("spec"), json_literal(GetParam().result)) << to_text(pod);
}

INSTANTIATE_TEST_SUITE_P(Table, StrategicPatchRules, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

struct RefusedCase {
  const char* patch;
  int http_status;
  const char* message;
};

constexpr RefusedCase kRefused[] = {
    {R"({"spec":{"containers":[{"image":"nokey"}]}})", 500,
     "map: map[image:nokey] does not contain declared merge key: name"},
    {R"({"spec":{"containers":[{"name":"a","$patch":"spin"}]}})", 500,
     "unknown patch type: spin in map: map[$patch:spin name:a]"},
    {R"({"spec":{"containers":[{"$patch":"delete"}]}})", 500,
     "map: map[$patch:delete] does not contain declared merge key: name"},
    {R"({"spec":{"containers":[{"name":"a","$retainKeys":["image"],"env":[]}]}})", 400,
     "invalid patch format of retainKeys"},
    {R"({"spec":{"containers":["a"]}})", 500, "list element types are not identical"},
    {R"({"spec":{"$setElementOrder/bogus":["a"]}})", 500,
     "unable to find api field in struct v1.PodSpec for the json field \"bogus\""},
    {"[]", 400, "error decoding patch: a strategic merge patch must be an object"},
};

TEST(StrategicPatchTest, MalformedPatchesAreRefusedAsTheServerDoes) {
  for (const RefusedCase& each : kRefused) {
    Json pod = json_literal(R"({"spec":{"containers":[{"name":"a","image":"i"}]}})");
    const PatchOutcome outcome =
        apply_strategic_patch(pod, json_literal(each.patch), pod_or_node(each.patch));
    ASSERT_TRUE(outcome) << each.patch;
    EXPECT_EQ(outcome->reason.http_status, each.http_status) << each.patch;
    EXPECT_EQ(outcome->message, each.message);
  }
}

TEST(StrategicPatchTest, BodiesAreQuotedAsGoPrintsThem) {
  const Json body = json_literal(R"({"b":[1,"x",null],"a":{"t":true}})");

  EXPECT_EQ(go_text(body), "map[a:map[t:true] b:[1 x <nil>]]");
}

}  // namespace
}  // namespace davit

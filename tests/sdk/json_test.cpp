#include <gtest/gtest.h>

#include <davit/json_writer.hpp>
#include <davit/testing/cluster.hpp>
#include <davit/testing/patch.hpp>
#include <ostream>
#include <string>

namespace davit {
namespace {

using namespace std::string_view_literals;
using testing::Json;

TEST(JsonWriterTest, CommasAreWhereTheyBelong) {
  JsonWriter out;
  out.begin_object().key("a").begin_array().integer(1).integer(-2).begin_object().end_object();
  out.end_array().member("b", "x").member("c", true).key("d").null().key("e").raw("[0]");
  out.end_object();

  EXPECT_EQ(out.text(), R"({"a":[1,-2,{}],"b":"x","c":true,"d":null,"e":[0]})");
}

TEST(JsonWriterTest, StringsAreEscapedAndUtf8PassesThrough) {
  constexpr std::string_view kText = "a\"\\\n\r\t\x01\x1f\0é/漢"sv;
  JsonWriter out;
  out.string(kText);

  EXPECT_EQ(Json::must(out.text()).text(), kText);
  EXPECT_NE(out.text().find("é"), std::string::npos);
  EXPECT_NE(out.text().find(R"(\u0001\u001f\u0000)"), std::string::npos);
}

TEST(JsonWriterTest, ValuesAreSplicedWithTheirUnknownFields) {
  testing::Cluster cluster;
  const Value value = cluster.value(R"({"spec":{"unheard":[1.50,{"of":"é"}]}})");
  JsonWriter out;
  out.begin_object().member("spec", value["spec"]).member("gone", value["gone"]);
  out.key("null").value(Value()).end_object();

  EXPECT_EQ(out.text(), R"({"spec":{"unheard":[1.50,{"of":"é"}]},"null":null})");
}

TEST(TestJsonTest, MalformedTextIsRefused) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "\"\x01\"", "tru",
                           "1 2", "\"\\u12\"", "\"\\ud800\"", "nul"}) {
    EXPECT_FALSE(Json::parse(text)) << text;
  }
}

TEST(TestJsonTest, EscapesAreDecoded) {
  EXPECT_EQ(Json::must(R"("\u00e9\ud83d\ude00\/\b")").text(), "é😀/\b");
}

struct PatchCase {
  const char* name;
  PatchType type;
  const char* object;
  const char* patch;
  const char* expected;
};

std::ostream& operator<<(std::ostream& out, const PatchCase& test) { return out << test.name; }

// clang-format off
constexpr PatchCase kPatchCases[] = {
    {"MergeSetsAndDeletes", PatchType::kMerge,
     R"({"a":1,"b":{"c":1,"d":2},"l":[1]})", R"({"b":{"c":null,"e":3},"l":[2]})",
     R"({"a":1,"b":{"d":2,"e":3},"l":[2]})"},
    {"StrategicAddsAnOwner", PatchType::kStrategic,
     R"({"ownerReferences":[{"uid":"1","kind":"A"}]})",
     R"({"ownerReferences":[{"uid":"2","kind":"B"}]})",
     R"({"ownerReferences":[{"uid":"1","kind":"A"},{"uid":"2","kind":"B"}]})"},
    {"StrategicUpgradesAnOwnerInPlace", PatchType::kStrategic,
     R"({"ownerReferences":[{"uid":"1","kind":"A"}]})",
     R"({"ownerReferences":[{"uid":"1","controller":true}]})",
     R"({"ownerReferences":[{"uid":"1","kind":"A","controller":true}]})"},
    {"StrategicDeletesAnOwner", PatchType::kStrategic,
     R"({"ownerReferences":[{"uid":"1"},{"uid":"2"}]})",
     R"({"ownerReferences":[{"$patch":"delete","uid":"1"}]})",
     R"({"ownerReferences":[{"uid":"2"}]})"},
    {"StrategicMergesConditionsByType", PatchType::kStrategic,
     R"({"conditions":[{"type":"A","status":"True"},{"type":"B"}]})",
     R"({"conditions":[{"type":"A","status":"False"}]})",
     R"({"conditions":[{"type":"A","status":"False"},{"type":"B"}]})"},
    {"StrategicReplacesOtherLists", PatchType::kStrategic,
     R"({"args":["a"]})", R"({"args":["b"]})", R"({"args":["b"]})"},
    {"StrategicReplacesAMapOnDemand", PatchType::kStrategic,
     R"({"m":{"a":1}})", R"({"m":{"$patch":"replace","b":2}})", R"({"m":{"b":2}})"},
    {"StrategicUnitesFinalizers", PatchType::kStrategic,
     R"({"finalizers":["a","b"]})",
     R"({"finalizers":["c"],"$deleteFromPrimitiveList/finalizers":["a"]})",
     R"({"finalizers":["b","c"]})"},
    {"JsonPatchInOrder", PatchType::kJson,
     R"({"a":{"b/c":1},"l":[1,2]})",
     R"([{"op":"test","path":"/a/b~1c","value":1},{"op":"replace","path":"/a/b~1c","value":2},
         {"op":"add","path":"/l/-","value":3},{"op":"remove","path":"/l/0"},
         {"op":"add","path":"/l/0","value":9}])",
     R"({"a":{"b/c":2},"l":[9,2,3]})"},
};
// clang-format on

class PatchTest : public ::testing::TestWithParam<PatchCase> {};

TEST_P(PatchTest, GivesTheExpectedObject) {
  Json object = Json::must(GetParam().object);

  ASSERT_TRUE(testing::apply_patch(object, GetParam().type, Json::must(GetParam().patch)).ok());

  EXPECT_EQ(object.canonical(), Json::must(GetParam().expected).canonical());
}

INSTANTIATE_TEST_SUITE_P(Types, PatchTest, ::testing::ValuesIn(kPatchCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(JsonPatchTest, FailsWhenAnOperationDoesNotApply) {
  for (const char* patch :
       {R"([{"op":"test","path":"/a","value":2}])", R"([{"op":"remove","path":"/b"}])",
        R"([{"op":"replace","path":"/b","value":1}])", R"([{"op":"add","path":"b","value":1}])"}) {
    Json object = Json::must(R"({"a":1})");
    EXPECT_FALSE(testing::json_patch(object, Json::must(patch)).ok()) << patch;
  }
}

}  // namespace
}  // namespace davit

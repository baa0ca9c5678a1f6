#include <gtest/gtest.h>

#include "lib/kube/patch/patch.hpp"

namespace davit {
namespace {

struct Case {
  const char* name;
  const char* object;
  const char* patch;
  const char* result;  ///< Null: refused with 422.
};

constexpr Case kCases[] = {
    {"EmptyPatch", R"({"a":1})", R"([])", R"({"a":1})"},
    {"AddMember", R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
    {"AddReplacesMember", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
    {"AddNeedsParent", R"({"a":1})", R"([{"op":"add","path":"/b/c","value":2}])", nullptr},
    {"AddNeedsContainer", R"({"a":1})", R"([{"op":"add","path":"/a/c","value":2}])", nullptr},
    {"AddInserts", R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])",
     R"({"a":[1,2,3]})"},
    {"AddAtEnd", R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
    {"AddAppends", R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
    {"AddBeyondEnd", R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":2}])", nullptr},
    {"AddNegative", R"({"a":[1]})", R"([{"op":"add","path":"/a/-1","value":2}])", R"({"a":[1,2]})"},
    {"AddNoNumber", R"({"a":[1]})", R"([{"op":"add","path":"/a/x","value":2}])", nullptr},
    {"AddNoPath", R"({"a":1})", R"([{"op":"add","path":"","value":2}])", nullptr},
    {"AddEmptyName", R"({"a":1})", R"([{"op":"add","path":"/","value":2}])", R"({"a":1,"":2})"},
    {"Escapes", R"({"a/b":{"m~n":1}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":2}])",
     R"({"a/b":{"m~n":2}})"},
    {"EscapedEscape", R"({"~1":1})", R"([{"op":"remove","path":"/~01"}])", R"({})"},
    {"RemoveMember", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
    {"RemoveMissing", R"({"a":1})", R"([{"op":"remove","path":"/b"}])", nullptr},
    {"RemoveElement", R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2]})"},
    {"RemoveLast", R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1]})"},
    {"RemoveBeyondEnd", R"({"a":[1]})", R"([{"op":"remove","path":"/a/1"}])", nullptr},
    {"RemovePast", R"({"a":[1]})", R"([{"op":"remove","path":"/a/-"}])", nullptr},
    {"ReplaceMissingMember", R"({"a":1})", R"([{"op":"replace","path":"/b","value":2}])",
     R"({"a":1,"b":2})"},
    {"ReplaceElement", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1","value":3}])",
     R"({"a":[1,3]})"},
    {"ReplaceBeyondEnd", R"({"a":[1]})", R"([{"op":"replace","path":"/a/1","value":3}])", nullptr},
    {"ReplaceRoot", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
    {"ReplaceRootByText", R"({"a":1})", R"([{"op":"replace","path":"","value":"b"}])", nullptr},
    {"Move", R"({"a":1,"b":{}})", R"([{"op":"move","from":"/a","path":"/b/c"}])",
     R"({"b":{"c":1}})"},
    {"MoveInList", R"({"a":[1,2,3]})", R"([{"op":"move","from":"/a/0","path":"/a/2"}])",
     R"({"a":[2,3,1]})"},
    {"MoveMissing", R"({"a":1})", R"([{"op":"move","from":"/b","path":"/c"}])", nullptr},
    {"MoveIntoItself", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])", nullptr},
    {"Copy", R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":[1],"b":[1]})"},
    {"CopyMissingMember", R"({"a":1})", R"([{"op":"copy","from":"/b","path":"/c"}])",
     R"({"a":1,"c":null})"},
    {"CopyMissingElement", R"({"a":[]})", R"([{"op":"copy","from":"/a/0","path":"/c"}])", nullptr},
    {"TestEqual", R"({"a":{"b":[1,"x"]}})", R"([{"op":"test","path":"/a","value":{"b":[1,"x"]}}])",
     R"({"a":{"b":[1,"x"]}})"},
    {"TestOther", R"({"a":1})", R"([{"op":"test","path":"/a","value":"1"}])", nullptr},
    {"TestMissingIsNull", R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])",
     R"({"a":1})"},
    {"TestMissingIsNoValue", R"({"a":1})", R"([{"op":"test","path":"/b","value":1}])", nullptr},
    {"TestWhole", R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
    {"UnknownOp", R"({"a":1})", R"([{"op":"spin","path":"/a"}])", nullptr},
    {"NoOp", R"({"a":1})", R"([{"path":"/a"}])", nullptr},
    {"NullOperation", R"({"a":1})", R"([null])", nullptr},
    {"AllOrNothing", R"({"a":1})",
     R"([{"op":"add","path":"/b","value":2},{"op":"remove","path":"/c"}])", nullptr},
};

class JsonPatchRules : public testing::TestWithParam<Case> {};

TEST_P(JsonPatchRules, GivesTheListedResult) {
  Json object = json_literal(GetParam().object);

  const PatchOutcome outcome = apply_json_patch(object, json_literal(GetParam().patch));

  if (GetParam().result == nullptr) {
    ASSERT_TRUE(outcome) << to_text(object);
    EXPECT_EQ(outcome->reason.http_status, 422);
    EXPECT_EQ(outcome->reason.name, "Invalid");
    EXPECT_EQ(outcome->message, "the server rejected our request due to an error in our request");
  } else {
    ASSERT_FALSE(outcome) << outcome->message;
    EXPECT_EQ(object, json_literal(GetParam().result)) << to_text(object);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, JsonPatchRules, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

TEST(JsonPatchTest, BodyThatIsNotAnArrayIsABadRequest) {
  for (const char* patch : {R"({"op":"add"})", R"("x")", "null", "[1]"}) {
    Json object = Json::object();
    const PatchOutcome outcome = apply_json_patch(object, json_literal(patch));
    ASSERT_TRUE(outcome) << patch;
    EXPECT_EQ(outcome->reason.http_status, 400);
    EXPECT_TRUE(outcome->message.starts_with("error decoding patch: "));
  }
}

TEST(JsonPatchTest, TooManyOperationsAreRefusedWithTheirCount) {
  Json patch = Json::array();
  for (int i = 0; i < 10'001; ++i) {
    patch.push_back(json_literal(R"({"op":"test","path":"/a","value":1})"));
  }
  Json object = json_literal(R"({"a":1})");

  const PatchOutcome outcome = apply_json_patch(object, patch);

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->reason.http_status, 413);
  EXPECT_NE(outcome->message.find("The allowed maximum operations in a JSON patch is 10000, got "
                                  "10001"),
            std::string::npos);
}

TEST(JsonPatchTest, CopiesCannotDoubleAnObjectWithoutLimit) {
  Json patch = Json::array();
  for (int i = 0; i < 100; ++i) {
    patch.push_back(json_literal(R"({"op":"copy","from":"/a","path":"/a/-"})"));
  }
  Json object = json_literal(R"({"a":["0123456789"]})");

  EXPECT_TRUE(apply_json_patch(object, patch));
}

TEST(JsonPatchTest, NestingStaysWithinWhatTheParserAllows) {
  Json patch = Json::array();
  std::string path;
  for (std::size_t i = 0; i <= kJsonDepthMax; ++i) {
    path += "/a";
    patch.push_back(Json::object({{"op", "add"}, {"path", path}, {"value", Json::object()}}));
  }
  Json object = Json::object();

  EXPECT_TRUE(apply_json_patch(object, patch));
}

}  // namespace
}  // namespace davit

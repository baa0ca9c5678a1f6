#include "sandbox/crd/json_path.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

struct Case {
  const char* path;
  const char* found;  ///< The values, as a list.
};

constexpr Case kCases[] = {
    {".spec.size", "[3]"},
    {"$.spec.size", "[3]"},
    {".spec.none.x", "[]"},
    {".metadata.labels.a\\.b/c", R"(["d"])"},
    {".metadata.labels['a.b/c']", R"(["d"])"},
    {".spec.list[0].n", R"(["x"])"},
    {".spec.list[-1].n", R"(["y"])"},
    {".spec.list[9].n", "[]"},
    {".spec.list[*].n", R"(["x","y"])"},
    {R"(.status.conditions[?(@.type=="Ready")].status)", R"(["True"])"},
    {R"(.status.conditions[?(@.type == 'Other')].status)", "[]"},
    {".spec.list[?(@.i==2)].n", R"(["y"])"},
};

TEST(JsonPathTest, FindsWhatTheTableSays) {
  const Json object = json_literal(R"({"metadata":{"labels":{"a.b/c":"d"}},
    "spec":{"size":3,"list":[{"n":"x","i":1},{"n":"y","i":2}]},
    "status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  for (const Case& each : kCases) {
    const Result<JsonPath> path = JsonPath::parse(each.path);
    ASSERT_TRUE(path) << each.path;
    Json found = Json::array();
    for (const Json* value : path->find(object)) found.push_back(*value);
    EXPECT_EQ(found, json_literal(each.found)) << each.path << " gave " << to_text(found);
  }
}

TEST(JsonPathTest, OtherFormsAreRefused) {
  for (const char* path : {"spec", ".", "..spec", ".a[", ".a[x]", ".a['x", ".a[?(@.b)]",
                           ".a[?(@.b>1)]", ".a[1", ".a b"}) {
    EXPECT_FALSE(JsonPath::parse(path)) << path;
  }
}

TEST(JsonPathTest, NamesAreThoseOfPlainPathsOnly) {
  EXPECT_EQ(JsonPath::parse(".spec.size")->names(), (std::vector<std::string>{"spec", "size"}));
  EXPECT_TRUE(JsonPath::parse(".spec.list[0]")->names().empty());
}

}  // namespace
}  // namespace davit::sandbox

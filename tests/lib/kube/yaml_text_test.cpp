#include "lib/kube/yaml_text.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

TEST(YamlTextTest, TreesAreWrittenInBlocksWithSortedMembers) {
  EXPECT_EQ(to_yaml_text(
                json_literal(R"({"kind":"Pod","metadata":{"labels":{"a":"b"},"x":{}},)"
                             R"("spec":{"b":true,"list":[{"name":"c","args":["x","y"]},[],[[1]]],)"
                             R"("num":3,"none":null}})")),
            "kind: Pod\n"
            "metadata:\n"
            "  labels:\n"
            "    a: b\n"
            "  x: {}\n"
            "spec:\n"
            "  b: true\n"
            "  list:\n"
            "  - args:\n"
            "    - x\n"
            "    - \"y\"\n"
            "    name: c\n"
            "  - []\n"
            "  - - - 1\n"
            "  none: null\n"
            "  num: 3\n");
}

TEST(YamlTextTest, StringsThatMeanSomethingElseAreQuoted) {
  for (const char* text : {"true", "No", "null", "1", "1.5", "", " a", "a ", "a: b", "a #b", "- a",
                           "a:", "~", "a\nb", "2026-01-01T00:00:00Z", "{a}", "ü"}) {
    EXPECT_EQ(to_yaml_text(Json(text)).front(), '"') << text;
  }
  for (const char* text : {"a", "web-1", "apps/v1", "a.b_c"}) {
    EXPECT_EQ(to_yaml_text(Json(text)), std::string(text) + '\n');
  }
}

}  // namespace
}  // namespace davit::sandbox

#include "sandbox/store/version_text.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

struct Case {
  const char* name;
  const char* object;
  const char* text;
};

constexpr Case kCases[] = {
    {"AfterTheUid", R"({"kind":"Pod","metadata":{"name":"a","uid":"u","labels":{}}})",
     R"({"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"7","labels":{}}})"},
    {"AtTheEndWithoutUid", R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"}})"},
    {"ReplacesTheOneGiven", R"({"metadata":{"resourceVersion":"5","name":"a"}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"}})"},
    {"OnlyTheObjectsOwn", R"({"spec":{"metadata":{"resourceVersion":"5","uid":"x"}}})",
     R"({"spec":{"metadata":{"resourceVersion":"5","uid":"x"}},)"
     R"("metadata":{"resourceVersion":"7"}})"},
    {"MakesMetadata", R"({"kind":"Pod"})", R"({"kind":"Pod","metadata":{"resourceVersion":"7"}})"},
    {"MakesMetadataOfNothing", R"({})", R"({"metadata":{"resourceVersion":"7"}})"},
    {"MetadataThatIsNone", R"({"metadata":null})", R"({"metadata":{"resourceVersion":"7"}})"},
};

TEST(VersionTextTest, RevisionIsWrittenIntoTheObjectsMetadata) {
  for (const Case& each : kCases) {
    EXPECT_EQ(VersionText(json_literal(each.object)).with(7), each.text) << each.name;
  }
}

TEST(VersionTextTest, OneTextServesSeveralRevisions) {
  const VersionText text(json_literal(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(text.with(9), R"({"metadata":{"name":"a","resourceVersion":"9"}})");
  EXPECT_EQ(text.with(10), R"({"metadata":{"name":"a","resourceVersion":"10"}})");
}

}  // namespace
}  // namespace davit::sandbox

#include "lib/kube/yaml_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/yaml.hpp"

namespace davit {
namespace {

using testing::ElementsAre;

YamlDocument parsed(const YamlPart& part) { return parse_yaml(part.text, "f", part.line); }

TEST(YamlStreamTest, DocumentsKeepTheirLineNumbers) {
  const std::vector<YamlPart> documents =
      yaml_documents("a: 1\n--- # next\nb: 2\n---\n\nc: 3\n---\n{\n\"d\": 4}\n---\n\n e: *x\n");
  ASSERT_EQ(documents.size(), 5U);
  EXPECT_EQ(parsed(documents[1]).root.find("b")->line, 3);
  EXPECT_EQ(parsed(documents[2]).root.find("c")->line, 6);
  EXPECT_EQ(parsed(documents[3]).root.find("d")->line, 9);
  EXPECT_EQ(parsed(documents[4]).mistakes.at(0).line, 12);
}

TEST(YamlStreamTest, TextBehindAMarkerBelongsToTheNewDocument) {
  const std::vector<YamlPart> documents = yaml_documents("--- {a: 1}\n");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(parsed(documents[1]).root.find("a")->line, 1);
}

TEST(YamlStreamTest, LongerDashesAreNoMarker) {
  EXPECT_THAT(yaml_documents("a: b\n----\n"), ElementsAre(YamlPart{"a: b\n----\n", 1}));
  EXPECT_THAT(yaml_documents(""), ElementsAre(YamlPart{"", 1}));
}

TEST(YamlStreamTest, ManyDocumentsTakeNoMoreThanTheirText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "---\n";
  std::size_t bytes = 0;
  for (const YamlPart& each : yaml_documents(text)) bytes += each.text.size();
  EXPECT_EQ(bytes, text.size());
}

}  // namespace
}  // namespace davit

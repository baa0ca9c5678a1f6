#include "lib/kube/yaml_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/yaml.hpp"

namespace davit {
namespace {

using testing::ElementsAre;

TEST(YamlStreamTest, DocumentsKeepTheirLineNumbers) {
  const std::vector<std::string> documents =
      yaml_documents("a: 1\n--- # next\nb: 2\n---\n\nc: 3\n");
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(parse_yaml(documents[1], "f").root.find("b")->line, 3);
  EXPECT_EQ(parse_yaml(documents[2], "f").root.find("c")->line, 6);
}

TEST(YamlStreamTest, TextBehindAMarkerBelongsToTheNewDocument) {
  const std::vector<std::string> documents = yaml_documents("--- {a: 1}\n");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(parse_yaml(documents[1], "f").root.find("a")->line, 1);
}

TEST(YamlStreamTest, LongerDashesAreNoMarker) {
  EXPECT_THAT(yaml_documents("a: b\n----\n"), ElementsAre("a: b\n----\n"));
  EXPECT_THAT(yaml_documents(""), ElementsAre(""));
}

}  // namespace
}  // namespace davit

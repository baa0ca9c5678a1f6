#include "host/config/metric_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

AllowedLabels parse(const std::vector<std::string>& values) {
  const Result<AllowedLabels> labels = parse_allowed_labels(values);
  EXPECT_TRUE(labels) << labels.error().message();
  return labels.value_or(AllowedLabels());
}

TEST(MetricSettingsTest, OneEntryOfTheFlagNeedsNoQuotes) {
  EXPECT_THAT(parse({"workqueue_depth,name=a,b"}),
              ElementsAre(Pair("workqueue_depth,name", "a,b")));
  EXPECT_THAT(parse({R"("m,l=a")"}), ElementsAre(Pair("m,l", "a")));
  EXPECT_THAT(parse({"m,l="}), ElementsAre(Pair("m,l", "")));
}

TEST(MetricSettingsTest, SeveralEntriesAreALineOfCsvAndSeveralFlagsAddUp) {
  EXPECT_THAT(parse({R"("m,l=a,b","n,l=c")", "m,l=d"}),
              ElementsAre(Pair("m,l", "d"), Pair("n,l", "c")));
  EXPECT_THAT(parse({R"("m,l=a""b","n,l=c")"}), ElementsAre(Pair("m,l", "a\"b"), Pair("n,l", "c")));
}

TEST(MetricSettingsTest, EntriesThatUpstreamRefusesAreRefused) {
  const auto mistake = [](const char* value) {
    return parse_allowed_labels(std::vector<std::string>{value}).error().message();
  };
  EXPECT_EQ(mistake("m"), "\"m\" must be formatted as key=value");
  EXPECT_EQ(mistake("m,l=a,n,l=b"), "\"m\" must be formatted as key=value");
  EXPECT_EQ(mistake("m=a"), "a key must be a metric and a label with a comma between, not \"m\"");
  EXPECT_THAT(mistake("9m,l=a"), HasSubstr("not \"9m,l\""));
  EXPECT_THAT(mistake("m,l:=a"), HasSubstr("not \"m,l:\""));
  EXPECT_THAT(mistake(R"("m,l=a","n,l=b)"), HasSubstr("a quote is missing"));
}

TEST(MetricSettingsTest, FileHasTheMappingAtTheTopOrWhereUpstreamsHelpSays) {
  const TempDirectory directory;
  for (const char* text : {"\"m,l\": \"a,b\"\n", "allowListMapping:\n  \"m,l\": \"a,b\"\n"}) {
    std::vector<Mistake> mistakes;
    EXPECT_THAT(load_allowed_labels(directory.write("labels.yaml", text), mistakes),
                ElementsAre(Pair("m,l", "a,b")));
    EXPECT_THAT(mistakes, IsEmpty());
  }
}

TEST(MetricSettingsTest, MistakesInTheFileHaveAPlace) {
  const TempDirectory directory;
  for (const auto& [text, want] :
       {std::pair("m: a\n", ":1:4: a key of allowListMapping must be a metric and a label"),
        {"\"m,l\": 5\n", ":1:8: allowListMapping.m,l must be a string"},
        {"[a]\n", "allowListMapping must be a mapping, not a list"},
        {"x: [1\n", "labels.yaml:"}}) {
    std::vector<Mistake> mistakes;
    (void)load_allowed_labels(directory.write("labels.yaml", text), mistakes);
    ASSERT_THAT(mistakes, testing::SizeIs(1)) << text;
    EXPECT_THAT(mistakes.front().str(), HasSubstr(want));
  }
  std::vector<Mistake> mistakes;
  (void)load_allowed_labels("/nowhere/labels.yaml", mistakes);
  ASSERT_THAT(mistakes, testing::SizeIs(1));
  EXPECT_THAT(mistakes.front().str(), HasSubstr("/nowhere/labels.yaml"));
}

}  // namespace
}  // namespace davit::host

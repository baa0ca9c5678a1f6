#include "plugins/deployment/annotations.hpp"

#include <gtest/gtest.h>

#include "plugins/deployment/template_hash.hpp"

namespace davit::deployment {
namespace {

TEST(AnnotationsTest, OwnKeysAreNotShared) {
  for (const std::string_view key :
       {kRevision, kRevisionHistory, kDesiredReplicas, kMaxReplicas, kRollbackTo, kLastApplied}) {
    EXPECT_FALSE(is_shared_annotation(key)) << key;
  }
  EXPECT_TRUE(is_shared_annotation("kubernetes.io/change-cause"));
}

TEST(AnnotationsTest, RevisionIsADecimalNumber) {
  EXPECT_EQ(parse_revision(""), 0);
  EXPECT_EQ(parse_revision("12"), 12);
  EXPECT_EQ(parse_revision("-3"), -3);
  EXPECT_EQ(parse_revision("+3"), 3);
  EXPECT_EQ(parse_revision("9223372036854775807"), 9223372036854775807);
  for (const char* bad : {"x", "1x", " 1", "1.0", "9223372036854775808", "+", "+-1", "0x1"}) {
    EXPECT_EQ(parse_revision(bad), std::nullopt) << bad;
  }
}

TEST(AnnotationsTest, ReplicasAreUnsignedAndFitAnInt32) {
  EXPECT_EQ(parse_replicas("0"), 0);
  EXPECT_EQ(parse_replicas("2147483647"), 2147483647);
  for (const char* bad : {"", "-1", "2147483648", "4294967295", "4294967296", "3 ", "three"}) {
    EXPECT_EQ(parse_replicas(bad), std::nullopt) << bad;
  }
}

TEST(AnnotationsTest, RollbackIsRequestedByANumberOnly) {
  EXPECT_EQ(parse_rollback("0"), 0);
  EXPECT_EQ(parse_rollback("7"), 7);
  EXPECT_EQ(parse_rollback(""), std::nullopt);
  EXPECT_EQ(parse_rollback("last"), std::nullopt);
}

TEST(AnnotationsTest, HistoryGrowsAtItsEnd) {
  EXPECT_EQ(append_to_history("", "1"), "1");
  EXPECT_EQ(append_to_history("1", "3"), "1,3");
  EXPECT_EQ(append_to_history("1,3", "5"), "1,3,5");
}

TEST(AnnotationsTest, HistoryDropsItsOldestEntriesBeyond2000Bytes) {
  const std::string entry(199, '7');
  std::string history = entry;
  for (int i = 0; i < 9; ++i) history += "," + entry;
  ASSERT_EQ(history.size(), 1999U);

  const std::string grown = append_to_history(history, "8");

  EXPECT_EQ(grown.size(), 1999U - 200 + 2);
  EXPECT_TRUE(grown.ends_with(",8"));
  EXPECT_EQ(append_to_history("1", std::string(2001, '9')), "1") << "what never fits is left out";
}

TEST(TemplateHashTest, NumbersAreSpelledAsUpstreamDoes) {
  EXPECT_EQ(encode_hash(4130463924U), "85748b7f68");
  EXPECT_EQ(encode_hash(3338978100U), "777dfcd544");
  EXPECT_EQ(encode_hash(610673237U), "b54bc767c");
  EXPECT_EQ(encode_hash(2719236193U), "6c5f67b5f7");
}

// D06
TEST(TemplateHashTest, NameIsCutSoThatTheWholeIsValid) {
  const std::string ten = "85748b7f68";
  EXPECT_EQ(replica_set_name("web", ten), "web-" + ten);
  EXPECT_EQ(replica_set_name(std::string(250, 'a'), ten), std::string(242, 'a') + "-" + ten);
  EXPECT_EQ(replica_set_name(std::string(250, 'a'), "b54bc767c"),
            std::string(243, 'a') + "-b54bc767c");
}

}  // namespace
}  // namespace davit::deployment

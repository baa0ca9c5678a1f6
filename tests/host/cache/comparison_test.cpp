// A content that is verified by the identities of its objects.
#include <gmock/gmock.h>

#include "tests/host/cache/verification_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string metadata_list_json(std::string_view version, const std::vector<PodSpec>& pods,
                               std::string_view continue_token = "") {
  std::string json = R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                     R"("metadata":{"resourceVersion":")" +
                     std::string(version) + R"(","continue":")" + std::string(continue_token) +
                     R"("},"items":[)";
  for (const PodSpec& pod : pods) {
    json += (json.back() == '[' ? "" : ",") + std::string(R"({"metadata":{"name":")") + pod.name +
            R"(","namespace":")" + pod.ns + R"(","uid":")" +
            (pod.uid.empty() ? "uid-" + pod.name : pod.uid) + R"(","resourceVersion":")" +
            pod.version + R"("}})";
  }
  return json + "]}";
}

// Issue 30, 3: a bookmark took up to 2.3 s, and the first sync of a takeover with it.
class ComparisonTest : public VerificationTest {
 protected:
  void SetUp() override { fill_large(kLarge); }
  /// The server lists these identities in response to the question.
  Time compare(const std::string& body) {
    const Time asked = ask();
    reply({.body = body, .lasts = milliseconds(10)});
    step();
    EXPECT_EQ(api_.asked.back(), "list limit=502");
    return asked;
  }
  /// It takes a watch's evidence, and gets it.
  void expect_difference() {
    EXPECT_FALSE(listener_.verified);
    EXPECT_EQ(informer_->store().resource_version(), "7");
    reply({.body = bookmark_json("20")});
    step();
    EXPECT_THAT(api_.asked.back(), StartsWith("watch resourceVersion=7&"));
    EXPECT_THAT(api_.asked.back(), HasSubstr("timeoutSeconds=3"));
    EXPECT_TRUE(listener_.verified);
  }
};

TEST_F(ComparisonTest, ContentWhoseIdentitiesAreTheServersIsVerifiedWithoutABookmark) {
  const Time asked = compare(metadata_list_json("20", many_pods()));
  ASSERT_TRUE(listener_.verified);
  EXPECT_GE(*listener_.verified, asked);
  EXPECT_EQ(listener_.changes, 0);
  EXPECT_EQ(informer_->store().size(), std::size_t{kLarge}) << "what is compared is no content";
}

TEST_F(ComparisonTest, WatchContinuesAtTheVersionOfTheListSoThatNothingOldIsRepeated) {
  compare(metadata_list_json("20", many_pods()));
  EXPECT_EQ(informer_->store().resource_version(), "20");
  reply({.body = bookmark_json("21")});
  step();
  EXPECT_THAT(api_.asked.back(), StartsWith("watch resourceVersion=20&"));
  EXPECT_THAT(api_.asked.back(), Not(HasSubstr("timeoutSeconds=3&")));
}

TEST_F(ComparisonTest, ObjectInAnotherVersionIsADifference) {
  std::vector<PodSpec> pods = many_pods();
  pods[1].version = "19";
  compare(metadata_list_json("20", pods));
  expect_difference();
}

TEST_F(ComparisonTest, ObjectThatTheServerLacksIsADifference) {
  std::vector<PodSpec> pods = many_pods();
  pods.pop_back();
  compare(metadata_list_json("20", pods));
  expect_difference();
}

TEST_F(ComparisonTest, ObjectOfAnotherUidIsADifference) {
  std::vector<PodSpec> pods = many_pods();
  pods[1].uid = "another";
  compare(metadata_list_json("20", pods));
  expect_difference();
}

TEST_F(ComparisonTest, ListThatGoesOnIsADifference) {
  compare(metadata_list_json("20", many_pods(), "more"));
  expect_difference();
}

TEST_F(ComparisonTest, ItemThatNamesNoObjectIsADifference) {
  std::vector<PodSpec> pods = many_pods();
  pods[1].name.clear();
  compare(metadata_list_json("20", pods));
  expect_difference();
}

TEST_F(ComparisonTest, ServerThatListsNoMetadataIsAskedForItsVersionOnly) {
  ask();
  reply({.end = api_error(406, Code::kInvalid, "NotAcceptable"), .lasts = milliseconds(1)});
  step();
  reply({.body = list_json("20", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  EXPECT_EQ(api_.formats.back(), WireFormat::kProtobuf) << "the objects are another matter";
  expect_difference();
}

TEST_F(ComparisonTest, ListOfAnotherKindProvesNothing) {
  std::string other = list_json("20", many_pods());
  other.replace(other.find("PodList"), 7, "SecretList");
  compare(other);
  EXPECT_FALSE(listener_.verified);
  reply({.body = list_json("20", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  expect_difference();
}

TEST_F(ComparisonTest, WholeObjectsOfAServerThatKnowsNoMetadataFormAreComparedAsWell) {
  compare(list_json("20", many_pods()));
  EXPECT_TRUE(listener_.verified);
  EXPECT_EQ(informer_->store().resource_version(), "20");
}

TEST_F(ComparisonTest, ListBelowTheKnownVersionIsNotCompared) {
  compare(metadata_list_json("5", many_pods()));
  EXPECT_FALSE(listener_.verified);
  EXPECT_EQ(log_.count("The server's versions have gone back"), 1U);
}

TEST_F(ComparisonTest, LargerContentWaitsForABookmark) {
  fill_large(kLarge - 1);
  ask();
  reply({.body = list_json("20", {})});
  step();
  EXPECT_EQ(api_.asked.back(), "list limit=1");
  expect_difference();
}

}  // namespace
}  // namespace davit::host

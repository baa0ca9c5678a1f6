/// Rows J93 to J103: a back-off limit for each index.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

class PerIndexTest : public JobTest {
 protected:
  void run_indexed(int parallelism, int completions, std::string_view spec) {
    Json all = Json::must(spec);
    all["completionMode"] = "Indexed";
    all["parallelism"] = parallelism;
    all["completions"] = completions;
    run_job(all.dump());
  }
};

TEST_F(PerIndexTest, J93_PodsBeginWithoutFailures) {
  run_indexed(2, 2, R"({"backoffLimitPerIndex":1})");
  for (const auto& [index, name] : by_index()) {
    EXPECT_EQ(annotation(name, kFailures), "0");
    EXPECT_EQ(pod(name).at({"metadata", "annotations", kIgnored}), nullptr);
  }
  EXPECT_EQ(status("failedIndexes"), R"("")");
}

TEST_F(PerIndexTest, J94_J95_J96_AnIndexFailsAloneAndTheJobInTheEnd) {
  run_indexed(2, 2, R"({"backoffLimitPerIndex":1})");
  const std::string first = of_index("0");
  const std::string other = of_index("1");
  fail(first);
  cluster_.advance(9s);
  EXPECT_TRUE(has_finalizer(first));
  EXPECT_EQ(status("failed"), "");
  EXPECT_THAT(by_index(), ElementsAre(Key("1")));
  cluster_.advance(3s);
  const std::string second = of_index("0");
  EXPECT_EQ(annotation(second, kFailures), "1");
  EXPECT_EQ(status("failed"), "1");
  EXPECT_FALSE(has_finalizer(first));

  fail(second);
  cluster_.advance(1min);
  EXPECT_EQ(status("failedIndexes"), R"("0")");
  EXPECT_THAT(by_index(), ElementsAre(::testing::Pair("1", other)));
  EXPECT_THAT(conditions(), IsEmpty());

  succeed(other);
  settle();
  EXPECT_THAT(conditions(),
              ElementsAre("FailureTarget=True/FailedIndexes", "Failed=True/FailedIndexes"));
  EXPECT_EQ(message_of("Failed"), "Job has failed indexes");
  EXPECT_EQ(status("completedIndexes"), R"("1")");
}

TEST_F(PerIndexTest, J97_TooManyFailedIndexesEndTheJob) {
  run_indexed(4, 4, R"({"backoffLimitPerIndex":0,"maxFailedIndexes":1})");
  fail(of_index("0"));
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  fail(of_index("2"));
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/MaxFailedIndexesExceeded"));
  EXPECT_EQ(message_of("Failed"),
            "Job has exceeded the specified maximal number of failed indexes");
  EXPECT_THAT(active_pods(), IsEmpty());
}

TEST_F(PerIndexTest, J98_WhenAllIndexesFailTheJobFails) {
  run_indexed(2, 2, R"({"backoffLimitPerIndex":0})");
  for (const std::string& each : active_pods()) fail(each);
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/FailedIndexes"));
  EXPECT_EQ(status("failedIndexes"), R"("0,1")");
}

TEST_F(PerIndexTest, J99_EachIndexHasItsOwnBackOff) {
  run_indexed(2, 2, R"({"backoffLimitPerIndex":5})");
  fail(of_index("0"));
  cluster_.advance(12s);
  fail(of_index("0"));
  fail(of_index("1"));
  cluster_.advance(8s);
  EXPECT_THAT(by_index(), IsEmpty());
  cluster_.advance(4s);
  EXPECT_THAT(by_index(), ElementsAre(Key("1")));
  cluster_.advance(6s);
  EXPECT_THAT(by_index(), ElementsAre(Key("1")));
  cluster_.advance(4s);
  EXPECT_THAT(by_index(), ElementsAre(Key("0"), Key("1")));
}

TEST_F(PerIndexTest, J100_IndexesInBackOffKeepTheirPlace) {
  run_indexed(2, 4, R"({"backoffLimitPerIndex":5})");
  fail(of_index("0"));
  fail(of_index("1"));
  cluster_.advance(8s);
  EXPECT_THAT(by_index(), IsEmpty());
  cluster_.advance(4s);
  EXPECT_THAT(by_index(), ElementsAre(Key("0"), Key("1")));
}

TEST_F(PerIndexTest, J101_AFailedPodStaysUntilItsSuccessorRuns) {
  run_indexed(1, 1, R"({"backoffLimitPerIndex":1})");
  const std::string first = of_index("0");
  fail(first);
  settle();
  delete_pod(first);
  settle();
  EXPECT_TRUE(exists(first));
  cluster_.advance(8s);
  EXPECT_EQ(annotation(of_index("0"), kFailures), "1");
  settle();
  EXPECT_FALSE(exists(first));
}

TEST_F(PerIndexTest, J102_TheLimitOfTheJobCountsToo) {
  run_indexed(2, 2, R"({"backoffLimitPerIndex":3,"backoffLimit":1})");
  for (const std::string& each : active_pods()) fail(each);
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/BackoffLimitExceeded"));
  EXPECT_EQ(status("failed"), "2");
}

TEST_F(PerIndexTest, J103_ACountThatIsNoneReadsAsZero) {
  for (const char* count : {"abc", "-1", "3000000000"}) {
    run_indexed(1, 1, R"({"backoffLimitPerIndex":1})");
    const std::string name = of_index("0");
    set_pod(name, R"({"metadata":{"annotations":{")" + std::string(kFailures) + R"(":")" + count +
                      R"("}}})");
    fail(name);
    cluster_.advance(12s);
    EXPECT_EQ(annotation(of_index("0"), kFailures), "1") << count;
    cluster_.stop(kController);
    cluster_.erase<Job>({"default", "j"});
    for (const std::string& each : all_pods()) cluster_.erase<Pod>({"default", each});
  }
}

}  // namespace
}  // namespace davit::job

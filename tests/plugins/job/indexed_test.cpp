/// Rows J79 to J92: Jobs with completion indexes.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

class IndexedTest : public JobTest {
 protected:
  void run_indexed(int parallelism, int completions, std::string_view patch = "{}") {
    run_job(R"({"completionMode":"Indexed","parallelism":)" + std::to_string(parallelism) +
                R"(,"completions":)" + std::to_string(completions) + "}",
            patch);
  }
  void resize(int completions) {
    const std::string number = std::to_string(completions);
    edit_spec(R"({"completions":)" + number + R"(,"parallelism":)" + number + "}");
    settle();
  }
  [[nodiscard]] Json owner() const {
    return Json::must(R"({"metadata":{"labels":{"batch.kubernetes.io/controller-uid":")" +
                      job_uid() + R"("},"finalizers":["batch.kubernetes.io/job-tracking"],
        "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":")" +
                      job_uid() + R"(","controller":true}]}})");
  }
};

TEST_F(IndexedTest, J79_EveryPodKnowsItsIndex) {
  run_indexed(3, 3, R"({"spec":{"template":{"spec":{"hostname":"mine",
      "initContainers":[{"name":"i","image":"nginx"}]}}}})");
  ASSERT_THAT(by_index(), ElementsAre(Key("0"), Key("1"), Key("2")));
  for (const auto& [index, name] : by_index()) {
    const Json pod = this->pod(name);
    EXPECT_EQ(pod.text_at({"metadata", "labels", kIndex}), index);
    EXPECT_EQ(pod.text_at({"metadata", "labels", "job-name"}), "j") << "those of the template stay";
    EXPECT_EQ(pod.text_at({"metadata", "generateName"}), "j-" + index + "-");
    EXPECT_EQ(pod.text_at({"spec", "hostname"}), "j-" + index);
    for (const char* list : {"containers", "initContainers"}) {
      const Json& env = *pod.at({"spec", list})->items().front().at({"env"});
      EXPECT_EQ(env.items().back().text_at({"name"}), "JOB_COMPLETION_INDEX");
      EXPECT_EQ(env.items().back().text_at({"valueFrom", "fieldRef", "fieldPath"}),
                "metadata.labels['batch.kubernetes.io/job-completion-index']");
    }
  }
}

TEST_F(IndexedTest, J80_AVariableOfThatNameIsLeftAlone) {
  run_indexed(1, 1, R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx",
      "env":[{"name":"JOB_COMPLETION_INDEX","value":"mine"},{"name":"A","value":"b"}]}]}}}})");
  EXPECT_EQ(pod(active_pod()).at({"spec", "containers"})->items().front().at({"env"})->dump(),
            R"([{"name":"JOB_COMPLETION_INDEX","value":"mine"},{"name":"A","value":"b"}])");
}

TEST_F(IndexedTest, J81_ALongNameIsCutBeforeTheIndex) {
  run_indexed(1, 1, R"({"metadata":{"name":")" + std::string(60, 'n') + R"("}})");
  EXPECT_THAT(all_pods(), ElementsAre(MatchesRegex("n{55}-0-[bcdfghjklmnpqrstvwxz24-9]{5}")));
}

TEST_F(IndexedTest, J82_ASucceededIndexIsCompleted) {
  run_indexed(2, 5);
  succeed(of_index("0"));
  settle();
  EXPECT_EQ(status("completedIndexes"), R"("0")");
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_THAT(by_index(), ElementsAre(Key("1"), Key("2")));
}

TEST_F(IndexedTest, J83_J92_IndexesAreWrittenAsRangesAndNoUidIsListed) {
  run_indexed(4, 4);
  for (const char* each : {"0", "1", "3"}) succeed(of_index(each));
  settle();
  EXPECT_EQ(status("completedIndexes"), R"("0,1,3")");
  succeed(of_index("2"));
  settle();
  EXPECT_EQ(status("completedIndexes"), R"("0-3")");
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
  for (const Json& each : stored_statuses()) {
    EXPECT_EQ(each.at({"status", "uncountedTerminatedPods"})->dump(), "{}");
  }
}

TEST_F(IndexedTest, J84_AFailedIndexRunsAgainAfterTheBackOff) {
  run_indexed(3, 3);
  fail(of_index("1"));
  settle();
  EXPECT_EQ(status("failed"), "1");
  EXPECT_THAT(by_index(), ElementsAre(Key("0"), Key("2")));
  cluster_.advance(7s);
  EXPECT_THAT(by_index(), SizeIs(2));
  cluster_.advance(3s);
  EXPECT_THAT(by_index(), ElementsAre(Key("0"), Key("1"), Key("2")));
}

TEST_F(IndexedTest, J85_ASecondPodOfAnIndexIsRemoved) {
  run_indexed(2, 2);
  const std::string first = of_index("0");
  set_ready(first);
  cluster_.clear_records();
  Json second = owner();
  second["metadata"].erase("ownerReferences");
  second["metadata"].erase("finalizers");
  second["metadata"]["annotations"][kIndex] = "0";
  add_pod("second", second.dump());
  settle();
  EXPECT_FALSE(exists("second"));
  EXPECT_TRUE(exists(first));
  EXPECT_EQ(creations(), 0U);
  EXPECT_EQ(status("failed"), "");
}

TEST_F(IndexedTest, J86_APodWithoutAnIndexIsRemoved) {
  run_indexed(1, 1);
  add_pod("stray", owner().dump());
  settle();
  EXPECT_FALSE(exists("stray"));
  EXPECT_EQ(status("failed"), "");
  EXPECT_THAT(by_index(), ElementsAre(Key("0")));
}

TEST_F(IndexedTest, J87_ASmallerJobForgetsIndexesBeyondItsEnd) {
  run_indexed(3, 3);
  succeed(of_index("1"));
  settle();
  resize(1);
  EXPECT_THAT(by_index(), ElementsAre(Key("0")));
  EXPECT_EQ(status("completedIndexes"), "");
  EXPECT_EQ(status("succeeded"), "");
  succeed(of_index("0"));
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
  EXPECT_EQ(status("completedIndexes"), R"("0")");
}

TEST_F(IndexedTest, J88_AnIndexThatWasDroppedRunsAgain) {
  run_indexed(3, 3);
  succeed(of_index("2"));
  settle();
  resize(2);
  resize(3);
  EXPECT_THAT(by_index(), ElementsAre(Key("0"), Key("1"), Key("2")));
}

TEST_F(IndexedTest, J89_AJobMadeEmptyIsComplete) {
  run_indexed(2, 2);
  resize(0);
  settle();
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
}

TEST_F(IndexedTest, J90_AnIndexCountsOnce) {
  run_indexed(2, 2);
  Json second = owner();
  second["metadata"]["annotations"][kIndex] = "0";
  second["status"]["phase"] = "Succeeded";
  add_pod("second", second.dump());
  succeed(of_index("0"));
  settle();
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_EQ(status("completedIndexes"), R"("0")");
  EXPECT_FALSE(has_finalizer("second"));
}

TEST_F(IndexedTest, J91_AFailureBeyondTheEndDoesNotCount) {
  run_indexed(1, 1);
  Json stray = owner();
  stray["metadata"]["annotations"][kIndex] = "7";
  stray["status"]["phase"] = "Failed";
  add_pod("stray", stray.dump());
  settle();
  EXPECT_TRUE(exists("stray"));
  EXPECT_FALSE(has_finalizer("stray"));
  EXPECT_EQ(status("failed"), "");
}

}  // namespace
}  // namespace davit::job

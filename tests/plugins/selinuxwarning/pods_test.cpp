/// Rows CC122 to CC128, CC134, CC136, CC139 to CC142: pods that share a volume.
#include <algorithm>
#include <string>

#include "tests/plugins/selinuxwarning/fixture.hpp"

namespace davit::selinuxwarning {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class PodsTest : public SelinuxWarningTest {
 protected:
  void SetUp() override {
    add_world();
    start();
  }
};

TEST_F(PodsTest, CC122_PodsWithOneLabelDoNotConflict) {
  add_user("a1", "s0:c1,c2");
  add_user("a2", "s0:c1,c2");
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(series(), IsEmpty());
}

TEST_F(PodsTest, CC123_ALevelThatDiffersIsReportedOnAllPods) {
  add_user("a1", "s0:c1,c2");
  add_user("a2", "s0:c1,c2");
  add_user("a3", "s0:c3,c4");
  const std::string one = ":::s0:c1,c2";
  const std::string other = ":::s0:c3,c4";
  EXPECT_THAT(events(), UnorderedElementsAre(label_conflict("a3", other, "a1", one),
                                             label_conflict("a1", one, "a3", other),
                                             label_conflict("a3", other, "a2", one),
                                             label_conflict("a2", one, "a3", other)));
  EXPECT_THAT(series(),
              UnorderedElementsAre("SELinuxLabel default/a1 " + one + " default/a3 " + other,
                                   "SELinuxLabel default/a3 " + other + " default/a1 " + one,
                                   "SELinuxLabel default/a2 " + one + " default/a3 " + other,
                                   "SELinuxLabel default/a3 " + other + " default/a2 " + one));
}

TEST_F(PodsTest, CC124_APodThatIsGoneOrFinishedConflictsNoMore) {
  add_user("a1", "s0:c1");
  add_user("a3", "s0:c3");
  EXPECT_THAT(events(), SizeIs(2));
  cluster_.merge<Pod>({"default", "a3"}, R"({"status":{"phase":"Succeeded"}})");
  settle();
  add_user("a4", "s0:c1");
  EXPECT_THAT(events(), IsEmpty());
  ASSERT_TRUE(cluster_.erase<Pod>({"default", "a1"}));
  settle();
  add_user("a5", "s0:c1");
  EXPECT_THAT(events(), IsEmpty());
  add_user("a6", "s0:c6");
  EXPECT_THAT(events(), SizeIs(4)) << "with a4 and a5 only";
}

TEST_F(PodsTest, APodThatIsRecreatedIsJudgedAgain) {
  add_user("a1", "s0:c1");
  add_user("a3", "s0:c3");
  EXPECT_THAT(events(), SizeIs(2));
  cluster_.hold("pods");
  ASSERT_TRUE(cluster_.erase<Pod>({"default", "a3"}));
  add_user("a3", "s0:c1");
  cluster_.release("pods");
  settle();
  add_user("a4", "s0:c1");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(PodsTest, CC125_APodThatLabelsFileByFileConflictsInPolicyAndLabel) {
  add_user("a1", "s0:c1");
  add_pod("r", R"({"seLinuxOptions":{"level":"s0:c2"},"seLinuxChangePolicy":"Recursive"})",
          claim("p"));
  EXPECT_THAT(events(), UnorderedElementsAre(
                            conflict("SELinuxChangePolicy", "r", "Recursive", "a1", "MountOption"),
                            conflict("SELinuxChangePolicy", "a1", "MountOption", "r", "Recursive"),
                            label_conflict("r", "", "a1", ":::s0:c1"),
                            label_conflict("a1", ":::s0:c1", "r", "")));
  EXPECT_THAT(series(), SizeIs(4));
}

TEST_F(PodsTest, CC128_PodsWithoutOptionsConflictOnlyWithThoseThatHaveSome) {
  add_pod("n1", "{}", claim("p"));
  add_pod("n2", R"({"seLinuxOptions":{}})", claim("p"));
  EXPECT_THAT(events(), IsEmpty());
  add_user("a1", "s0:c1");
  EXPECT_THAT(events(), SizeIs(8)) << "policy and label, with both, on both sides";
}

TEST_F(PodsTest, CC134_AVolumeMountedWithTwoLabelsIsAWarningWithBackOff) {
  add_pod("m", "{}", claim("p"), "default",
          R"([{"name":"c","image":"i","volumeMounts":[{"name":"v0","mountPath":"/v"}],
               "securityContext":{"seLinuxOptions":{"level":"s0:c1"}}},
              {"name":"d","image":"i","volumeMounts":[{"name":"v0","mountPath":"/v"}],
               "securityContext":{"seLinuxOptions":{"level":"s0:c2"}}}])");
  const std::string warning =
      "m: Warning MultipleSELinuxLabels Volume \"v0\" is mounted twice with different SELinux "
      "labels inside this pod";
  EXPECT_THAT(events(), Contains(warning));
  cluster_.advance(5s);
  const std::vector<std::string> more = events();
  EXPECT_GT(more.size(), 5U);
  EXPECT_LT(more.size(), 15U);
  EXPECT_TRUE(std::ranges::all_of(more, [&](const auto& each) { return each == warning; }));
  EXPECT_THAT(series(), IsEmpty());
}

TEST_F(PodsTest, OptionsOfAContainerCountInPlaceOfThePods) {
  add_user("a1", "s0:c1");
  add_pod("o", level("s0:c9"), claim("p"), "default",
          R"([{"name":"c","image":"i","volumeMounts":[{"name":"v0","mountPath":"/v"}],
               "securityContext":{"seLinuxOptions":{"level":"s0:c1"}}},
              {"name":"d","image":"i"}])");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(PodsTest, CC136_OtherVolumesOfAPodAreNobodysBusiness) {
  add_pod("e1", level("s0:c1"), R"({"emptyDir":{}})");
  add_pod("e2", level("s0:c2"), R"({"secret":{"secretName":"s"}})");
  add_pod("e3", level("s0:c3"), R"({"hostPath":{"path":"/x"}})");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(PodsTest, CC139_ABlockDeviceIsNoMount) {
  add_user("a1", "s0:c1");
  add_pod("b", level("s0:c2"), claim("p"), "default",
          R"([{"name":"c","image":"i","volumeDevices":[{"name":"v0","devicePath":"/dev/x"}]}])");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(PodsTest, CC140_ARestartedControllerFindsTheSameAgain) {
  add_user("a1", "s0:c1");
  add_user("a2", "s0:c2");
  const std::vector<std::string> before = series();
  EXPECT_THAT(events(), SizeIs(2));
  cluster_.stop(kController);
  cluster_.clear_records();
  seen_ = 0;
  start();
  EXPECT_THAT(events(), SizeIs(2));
  EXPECT_THAT(series(), ::testing::UnorderedElementsAreArray(before));
}

TEST_F(PodsTest, AnotherBuildFindsTheSameAgain) {
  add_user("a1", "s0:c1");
  add_user("a2", "s0:c2");
  EXPECT_THAT(series(), SizeIs(2));
  ASSERT_TRUE(cluster_.swap(kController, &make_without_options<SelinuxWarningController>).ok());
  settle();
  EXPECT_THAT(series(), SizeIs(4)) << "two for each build";
  add_user("a3", "s0:c2");
  EXPECT_THAT(series(), SizeIs(6));
}

TEST_F(PodsTest, CC141_ItRunsOnlyIfItIsNamed) {
  EXPECT_THAT(note_text<selinuxwarning::declare>(), HasSubstr(R"("offByDefault":true)"));
}

TEST_F(PodsTest, CC142_ATerminatingPodThatRunsStillCounts) {
  add_user("a1", "s0:c1");
  cluster_.merge<Pod>({"default", "a1"},
                      R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z"}})");
  settle();
  add_user("a2", "s0:c2");
  EXPECT_THAT(events(), SizeIs(2));
}

}  // namespace
}  // namespace davit::selinuxwarning

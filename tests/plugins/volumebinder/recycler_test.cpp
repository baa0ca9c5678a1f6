/// Rows PV077 to PV083, and PV104.
#include "plugins/volumebinder/recycler.hpp"

#include <string>
#include <utility>

#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::HasSubstr;

class RecyclerTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
  void add_released(const std::string& changes = "{}") {
    add_claimed("v", "c", "uid-gone", R"({"spec":{"persistentVolumeReclaimPolicy":"Recycle"}})");
    cluster_.merge<Volume>({"", "v"}, changes);
    run();
  }
  static Key pod_key() { return {"default", "recycler-for-v"}; }
  [[nodiscard]] bool has_pod() { return cluster_.find<Pod>(pod_key()).has_value(); }
  void end_pod(const std::string& status) {
    cluster_.merge<Pod>(pod_key(), R"({"status":)" + status + "}");
    run();
  }
};

TEST_F(RecyclerTest, PV077_AReleasedVolumeIsEmptiedByAPod) {
  add_released();
  EXPECT_EQ(volume_phase(), "Released");
  ASSERT_TRUE(has_pod());
  Json pod = cluster_.json<Pod>(pod_key());
  EXPECT_EQ(pod["spec"]["activeDeadlineSeconds"].dump(), "60");
  EXPECT_EQ(pod.text_at({"spec", "restartPolicy"}), "Never");
  EXPECT_THAT(pod["spec"]["volumes"].dump(), HasSubstr(R"("path":"/data")"));
  EXPECT_THAT(pod["spec"]["containers"].dump(), HasSubstr("find /scrub -mindepth 1 -delete"));
  resync();
  EXPECT_EQ(cluster_.requests_of(Verb::kCreate, "pods").size(), 1U);
}

TEST_F(RecyclerTest, PV078_AnEmptiedVolumeIsAvailable) {
  add_released();
  end_pod(R"({"phase":"Succeeded"})");
  EXPECT_FALSE(has_pod());
  EXPECT_EQ(times("Normal VolumeRecycled Volume recycled"), 1);
  EXPECT_EQ(volume_phase(), "Available");
}

TEST_F(RecyclerTest, PV078_TheVolumeSaysWhatIsSaidOfItsPod) {
  add_released();
  const auto add_event = [this](const std::string& name, const std::string& of,
                                const std::string& type, const std::string& about = "{}") {
    Json event = Json::must(
        R"({"apiVersion":"v1","kind":"Event","metadata":{"namespace":"default","name":")" + name +
        R"("},"involvedObject":{"kind":"Pod","namespace":"default","name":")" + of +
        R"("},"reason":"Slow","message":")" + name + R"(","type":")" + type + R"("})");
    merge_patch(event["involvedObject"], Json::must(about));
    cluster_.add(event);
  };
  add_event("slow-disk", "recycler-for-v", "Warning");
  add_event("slow-pull", "recycler-for-v", "Normal",
            R"({"uid":")" + std::string(cluster_.find<Pod>(pod_key())->uid()) + R"("})");
  add_event("of-an-earlier-pod", "recycler-for-v", "Warning", R"({"uid":"another"})");
  add_event("of-another-pod", "recycler-for-w", "Warning");
  resync();
  resync();
  end_pod(R"({"phase":"Succeeded"})");
  EXPECT_EQ(times("Warning RecyclerPod Recycler pod: slow-disk"), 1);
  EXPECT_EQ(times("Normal RecyclerPod Recycler pod: slow-pull"), 1);
  for (const std::string& each : cluster_.event_texts()) {
    EXPECT_EQ(each.find("another"), std::string::npos) << each;
    EXPECT_EQ(each.find("earlier"), std::string::npos) << each;
  }
  EXPECT_EQ(volume_phase(), "Available");
}

TEST_F(RecyclerTest, PV078_AVolumeIsEmptiedWithoutTheEventsOfItsPod) {
  add_released();
  cluster_.fail_next({.verb = Verb::kList, .resource = "events", .times = testing::Fault::kAlways});
  end_pod(R"({"phase":"Succeeded"})");
  EXPECT_EQ(volume_phase(), "Available");
}

TEST_F(RecyclerTest, PV079_ALargeVolumeGetsMoreTime) {
  for (const auto& [size, seconds] : {std::pair("3Gi", "300"), std::pair("20Gi", "600")}) {
    const Volume volume = cluster_.view_of<Volume>(
        std::string(R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":")") + size +
        R"("},"nfs":{"server":"s","path":"/p"}}})");
    const std::string pod = recycler_pod(volume, Options().nfs);
    EXPECT_THAT(pod, HasSubstr(std::string(R"("activeDeadlineSeconds":)") + seconds));
    EXPECT_THAT(pod, HasSubstr(R"("nfs":{"server":"s","path":"/p"})"));
  }
}

TEST_F(RecyclerTest, PV080_AFailedPodFailsTheVolume) {
  add_released();
  end_pod(R"({"phase":"Failed","message":"boom"})");
  EXPECT_EQ(volume_phase(), "Failed");
  const std::string text = "Recycle failed: failed to recycle volume: boom";
  EXPECT_EQ(volume().text_at({"status", "message"}), text);
  EXPECT_EQ(times("Warning VolumeFailedRecycle " + text), 1);
  resync();
  EXPECT_EQ(cluster_.requests_of(Verb::kCreate, "pods").size(), 2U);
  EXPECT_TRUE(has_pod());
}

TEST_F(RecyclerTest, PV081_AnotherSourceHasNoRecycler) {
  add_released(R"({"spec":{"hostPath":null,"local":{"path":"/d"}}})");
  EXPECT_EQ(volume_phase(), "Failed");
  EXPECT_EQ(times("Warning VolumeFailedRecycle No recycler plugin found for the volume!"), 1);
}

TEST_F(RecyclerTest, PV082_PV104_APodOfAnEarlierProcessIsReplaced) {
  add_released();
  cluster_.stop(kBinder);
  start();
  EXPECT_EQ(volume().text_at({"status", "message"}),
            "Recycle failed: old recycler pod found, will retry later");
  EXPECT_FALSE(has_pod());
  resync();
  ASSERT_TRUE(has_pod());
  end_pod(R"({"phase":"Succeeded"})");
  EXPECT_EQ(volume_phase(), "Available");
}

TEST_F(RecyclerTest, PV083_AVolumeThatPodsStillUseIsNotEmptied) {
  add_pod("p", "c", "n", "Running");
  add_released();
  EXPECT_GE(times("Normal VolumeFailedRecycle Volume is used by pods: ns/p"), 1);
  EXPECT_FALSE(has_pod());
}

TEST_F(RecyclerTest, PV083_ThePodsThatUseTheVolumeAreNamedInOrder) {
  add_pod("q", "c", "n", "Running");
  add_pod("p", "c", "n", "Pending");
  add_pod("over", "c", "n", "Succeeded");
  add_pod("another", "d", "n", "Running");
  cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"far"},"spec":{
      "containers":[{"name":"c","image":"i"}],"nodeName":"n","volumes":[{"name":"v",
      "persistentVolumeClaim":{"claimName":"c"}}]},"status":{"phase":"Running"}})");
  add_released();
  EXPECT_GE(times("Normal VolumeFailedRecycle Volume is used by pods: ns/p,ns/q"), 1);
  EXPECT_EQ(volume_phase(), "Released") << "it did not fail";
  EXPECT_FALSE(has_pod());
  cluster_.erase<Pod>({"ns", "p"});
  cluster_.erase<Pod>({"ns", "q"});
  resync();
  EXPECT_TRUE(has_pod()) << "the last of them has gone";
}

TEST_F(RecyclerTest, PV083_PodsOfANewClaimOfTheNameDoNotUseTheOldVolume) {
  add_claim("c");
  add_pod("p", "c", "n", "Running");
  add_released();
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_TRUE(has_pod());
}

TEST_F(RecyclerTest, PV109_APodOfTheManifestIsUsed) {
  cluster_.stop(kBinder);
  start(R"({"recyclerPodTemplateHostPath":{"metadata":{"name":"x","labels":{"a":"b"}},"spec":{
      "restartPolicy":"OnFailure","activeDeadlineSeconds":1,
      "containers":[{"name":"own","image":"own:1"}],
      "volumes":[{"name":"target","emptyDir":{}},{"name":"more","emptyDir":{}}]}}})");
  add_released();
  ASSERT_TRUE(has_pod());
  Json pod = cluster_.json<Pod>(pod_key());
  EXPECT_EQ(pod.text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(pod["spec"]["activeDeadlineSeconds"].dump(), "60");
  EXPECT_EQ(pod.text_at({"spec", "restartPolicy"}), "OnFailure");
  EXPECT_THAT(pod["spec"]["containers"].dump(), HasSubstr("own:1"));
  const std::string volumes = pod["spec"]["volumes"].dump();
  EXPECT_THAT(volumes, HasSubstr(R"("name":"target")"));
  EXPECT_THAT(volumes, HasSubstr(R"("path":"/data")"));
  EXPECT_THAT(volumes, HasSubstr(R"("name":"more")"));
  end_pod(R"({"phase":"Succeeded"})");
  EXPECT_EQ(volume_phase(), "Available");
}

TEST_F(RecyclerTest, PV109_APodThatCannotEmptyAVolumeIsRefused) {
  cluster_.stop(kBinder);
  const auto refusal = [this](const std::string& pod) {
    return cluster_.start(kBinder, &VolumeBinder::open, R"({"recyclerPodTemplateNFS":)" + pod + "}")
        .message();
  };
  const std::string text =
      "pod specification (recyclerPodTemplateNFS): does not contain any volume(s)";
  EXPECT_THAT(refusal(R"({"spec":{"containers":[]}})"), HasSubstr(text));
  EXPECT_THAT(refusal(R"({"spec":{"volumes":[]}})"), HasSubstr(text));
  EXPECT_THAT(refusal(R"("/a/file.yaml")"), HasSubstr("recyclerPodTemplateNFS must be a pod"));
  EXPECT_THAT(refusal(R"({"metadata":{"namespace":"x"},"spec":{"volumes":[{"name":"v"}]}})"),
              HasSubstr("must be a pod of the namespace default"));
}

TEST_F(RecyclerTest, AClaimThatTheCacheLacksKeepsItsVolume) {
  add_claim("c");
  cluster_.hold("persistentvolumeclaims");
  cluster_.stop(kBinder);
  add_claimed(
      "v", "c", "uid-c",
      R"({"spec":{"persistentVolumeReclaimPolicy":"Recycle"},"status":{"phase":"Released"}})");
  start();
  resync();
  EXPECT_FALSE(has_pod());
}

TEST_F(RecyclerTest, AVolumeThatAnAdministratorTakesBackIsNotEmptied) {
  add_released();
  ASSERT_TRUE(has_pod());
  cluster_.merge<Volume>({"", "v"}, R"({"spec":{"claimRef":null},"status":{"phase":"Available"}})");
  run();
  EXPECT_FALSE(has_pod());
}

}  // namespace
}  // namespace davit::volumebinder

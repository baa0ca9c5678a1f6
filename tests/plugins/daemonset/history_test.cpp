/// Rows DS76 to DS84: the ControllerRevisions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Verb;
using namespace std::chrono_literals;

class HistoryTest : public DaemonSetTest {
 protected:
  void start_running(int nodes, std::string_view patch = "{}") {
    add_nodes(nodes);
    add_set(patch);
    start();
    start_pods();
  }
  static std::string name_of(const Json& revision) {
    return revision.text_at({"metadata", "name"});
  }
  void edit_revision(const std::string& name, std::string_view patch) {
    cluster().merge<ControllerRevision>({"ns", name}, patch);
    run_until_idle();
  }
  /// A copy of a revision under another name and hash.
  void add_copy(Json revision, const std::string& name, std::int64_t number) {
    revision["metadata"].erase("uid");
    revision["metadata"].erase("resourceVersion");
    revision["metadata"]["name"] = name;
    revision["metadata"]["labels"]["controller-revision-hash"] = name + "-hash";
    revision["revision"] = number;
    cluster().add(std::move(revision));
  }
  [[nodiscard]] bool has_revision(const std::string& name) {
    return cluster().find<ControllerRevision>({"ns", name}).has_value();
  }
};

TEST_F(HistoryTest, DS76_OldRevisionsBeyondTheLimitGo) {
  start_running(1, R"({"spec":{"revisionHistoryLimit":1}})");
  for (const char* image : {"nginx:2", "nginx:3", "nginx:4"}) {
    set_image(image);
    finish_rollout();
  }

  ASSERT_THAT(revisions(), SizeIs(2));
  EXPECT_EQ(revisions()[0].text_at({"revision"}), "3");
  EXPECT_EQ(revisions()[1].text_at({"revision"}), "4");
}

TEST_F(HistoryTest, DS77_ARevisionThatAPodCarriesStays) {
  start_running(2, R"({"spec":{"revisionHistoryLimit":0}})");
  set_image("nginx:2");
  let_go();
  bind_pods();  // Stuck: the new pod never gets ready.
  set_image("nginx:3");
  set_image("nginx:4");

  std::vector<std::string> numbers;
  for (const Json& each : revisions()) numbers.push_back(each.text_at({"revision"}));
  EXPECT_THAT(numbers, ElementsAre("1", "2", "4"));
}

TEST_F(HistoryTest, DS78_ARevisionWithoutTheHashGetsItsNameAsHash) {
  start_running(1);
  const std::string name = name_of(newest_revision());
  edit_revision(name, R"({"metadata":{"labels":{"controller-revision-hash":null}}})");

  EXPECT_EQ(newest_revision().text_at({"metadata", "labels", "controller-revision-hash"}), name);
}

TEST_F(HistoryTest, DS79_TwoRevisionsOfOneTemplateBecomeOne) {
  start_running(1);
  const std::vector<std::string> pods = pod_names();
  const std::string first = name_of(newest_revision());
  add_copy(newest_revision(), "second", 7);
  add_node("n2");
  run_until_idle();

  EXPECT_FALSE(has_revision(first));
  EXPECT_TRUE(has_revision("second"));
  EXPECT_TRUE(has_pod(pods.front()));
  for (const std::string& name : pod_names()) EXPECT_EQ(hash_of(name), "second-hash");
  const auto patches = cluster().requests_of(Verb::kPatch, "pods");
  ASSERT_THAT(patches, SizeIs(1));
  EXPECT_EQ(patches.front().patch_type, PatchType::kMerge);
  EXPECT_EQ(patches.front().body,
            R"({"metadata":{"labels":{"controller-revision-hash":"second-hash"}}})");
  EXPECT_EQ(deleted(), 0U);
}

TEST_F(HistoryTest, DS79_PodsOfReallyOlderTemplatesKeepTheirHash) {
  start_running(1, R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  const std::string old_hash = hash_of(pod_on("n1"));
  set_image("nginx:2");
  add_copy(newest_revision(), "second", 7);
  touch_set();

  EXPECT_EQ(hash_of(pod_on("n1")), old_hash);
  EXPECT_EQ(status("updatedNumberScheduled"), 0);
}

TEST_F(HistoryTest, DS80_ANameThatAnotherTemplateHasIsCountedAsACollision) {
  start_running(1);
  set_image("nginx:2");
  finish_rollout();
  const Json second = newest_revision();
  set_image("nginx:1");
  finish_rollout();
  // The name of the second template's revision gets other data, and no owner.
  cluster().erase<ControllerRevision>({"ns", name_of(second)});
  Json taken = second;
  taken["data"]["spec"]["template"]["spec"]["nodeName"] = "other";
  taken["metadata"].erase("ownerReferences");
  taken["metadata"].erase("uid");
  taken["metadata"]["labels"] = Json::object();
  cluster().add(std::move(taken));
  cluster().clear_records();

  patch_set(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:2"}]}}}})");
  run_until_idle();
  advance(1s);
  EXPECT_EQ(status("collisionCount"), 1);
  EXPECT_NE(name_of(newest_revision()), name_of(second));
  EXPECT_EQ(events_of("FailedCreate"), 0U);
  finish_rollout();
  EXPECT_EQ(image_of(pod_on("n1")), "nginx:2");
}

TEST_F(HistoryTest, DS81_AMatchingOrphanIsAdopted) {
  start_running(1);
  const std::string uid = controller_uid(newest_revision());
  const std::string name = name_of(newest_revision());
  edit_revision(name, R"({"metadata":{"ownerReferences":null}})");

  EXPECT_EQ(controller_uid(newest_revision()), uid);
  EXPECT_THAT(revisions(), SizeIs(1));
}

TEST_F(HistoryTest, Q13_AnOwnedRevisionThatStopsMatchingIsReleasedAndUsed) {
  start_running(1);
  const std::string name = name_of(newest_revision());
  edit_revision(name, R"({"metadata":{"labels":{"app":"other"}}})");
  touch_set();

  EXPECT_EQ(controller_uid(newest_revision()), "");
  EXPECT_THAT(revisions(), SizeIs(1));
  EXPECT_EQ(deleted(), 0U);
}

TEST_F(HistoryTest, DS82_ADeletedRevisionComesBackUnderItsName) {
  start_running(1);
  set_image("nginx:2");
  finish_rollout();
  const std::string name = name_of(newest_revision());
  const std::size_t pods_made = created();
  cluster().erase<ControllerRevision>({"ns", name});
  run_until_idle();

  EXPECT_EQ(name_of(newest_revision()), name);
  EXPECT_EQ(newest_revision().text_at({"revision"}), "2");
  EXPECT_EQ(created(), pods_made);
}

TEST_F(HistoryTest, DS83_ARestartChangesNothing) {
  start_running(2);
  cluster().clear_records();
  restart();

  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(HistoryTest, DS83_PodsOfAnotherImplementationKeepRunning) {
  start_running(2);
  const Json own = newest_revision();
  for (const std::string& name : pod_names()) {
    edit_pod(name, R"({"metadata":{"labels":{"controller-revision-hash":"foreign"}}})");
  }
  cluster().stop(kController);
  // Another hash function, and members that servers before v1.34 sent.
  cluster().erase<ControllerRevision>({"ns", name_of(own)});
  Json foreign = own;
  foreign["metadata"]["name"] = "ds-foreign";
  foreign["metadata"].erase("uid");
  foreign["metadata"]["labels"]["controller-revision-hash"] = "foreign";
  cluster().add(foreign);
  start();
  EXPECT_THAT(revisions(), SizeIs(1)) << "equal data: no new revision";
  EXPECT_EQ(status("updatedNumberScheduled"), 2);

  cluster().stop(kController);
  foreign["data"]["spec"]["template"]["metadata"]["creationTimestamp"] = Json();
  cluster().add(foreign);
  start();
  EXPECT_THAT(revisions(), SizeIs(2));
  EXPECT_EQ(status("updatedNumberScheduled"), 2) << "the generation vouches for them: Q17";
  EXPECT_EQ(deleted(), 0U);
}

TEST_F(HistoryTest, DS84_DataIsWrittenAsOthersWriteIt) {
  add_nodes(1);
  add_set(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:1",
      "command":["sh","-c","a<b && c>d"]}]}}}})");
  start();

  const std::string body = cluster().requests_of(Verb::kCreate, "controllerrevisions")[0].body;
  EXPECT_THAT(body, HasSubstr(R"("data":{"spec":{"template":{"$patch":"replace","metadata":)"));
  EXPECT_THAT(body, HasSubstr(R"(a\u003cb \u0026\u0026 c\u003ed)"));
  cluster().clear_records();
  restart();
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(HistoryTest, Q12_ANameThatIsTooLongForARevisionGetsNoPods) {
  add_nodes(1);
  const std::string name(250, 'a');
  add_set(R"({"metadata":{"name":")" + name + R"("}})");
  start();
  const std::size_t before = requests(Verb::kCreate, "controllerrevisions");
  advance(1s);

  EXPECT_GT(requests(Verb::kCreate, "controllerrevisions"), before);
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(cluster().syncs().back().error,
              HasSubstr("failed to construct revisions of DaemonSet: "));
}

TEST_F(HistoryTest, ARevisionOfAnotherSetIsNotTouched) {
  start_running(1);
  Json foreign = newest_revision();
  foreign["metadata"].erase("uid");
  foreign["metadata"]["name"] = "foreign";
  foreign["metadata"]["ownerReferences"] =
      Json::must("[" + controller("StatefulSet", "web", "u-web") + "]");
  cluster().add(std::move(foreign));
  touch_set();

  EXPECT_TRUE(has_revision("foreign"));
  EXPECT_THAT(revisions(), SizeIs(2));
}

}  // namespace
}  // namespace davit::daemonset

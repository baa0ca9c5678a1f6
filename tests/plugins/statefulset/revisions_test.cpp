/// Rows SS79 to SS87: ControllerRevisions.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// The template T1 of docs/spec/statefulset.md, 8.5, as a patch of the set.
constexpr std::string_view kTemplate1 = R"({"spec":{"selector":{"matchLabels":{"app":"nginx"}},
    "template":{"metadata":{"labels":{"app":"nginx"}},"spec":{"containers":[{"name":"nginx",
        "image":"nginx:1.14.2","ports":[{"containerPort":80}]}]}}}})";

class SetRevisionsTest : public StatefulSetTest {
 protected:
  void add_revision(const std::string& name, std::string_view patch = "{}") {
    Json revision = Json::must(R"({"apiVersion":"apps/v1","kind":"ControllerRevision",
        "metadata":{"namespace":"ns"},"data":{"spec":{"template":{"spec":{}}}},"revision":1})");
    revision["metadata"]["name"] = name;
    testing::merge_patch(revision, Json::must(patch));
    cluster_.add(revision);
  }
  Json revision(const std::string& name) {
    return cluster_.json<history::ControllerRevision>({"ns", name});
  }
  void roll_out(const std::string& image) {
    set_image(image);
    make_all_ready();
  }
};

TEST_F(SetRevisionsTest, SS79_TheRevisionIsUpstreamsToTheByte) {
  start();
  add_set(1, {kTemplate1, R"({"metadata":{"annotations":{"why":"because"}}})"});
  ASSERT_THAT(revision_names(), ElementsAre("web-6fc8c9d6d6"));
  const Json made = revision("web-6fc8c9d6d6");
  EXPECT_EQ(made.at({"metadata", "labels"})->canonical(),
            R"({"app":"nginx","controller.kubernetes.io/hash":"6fc8c9d6d6"})");
  EXPECT_EQ(made.text_at({"metadata", "annotations", "why"}), "because");
  EXPECT_EQ(made.text_at({"revision"}), "1");
  EXPECT_THAT(cluster_.requests_of(Verb::kCreate, "controllerrevisions").front().body,
              HasSubstr(R"("data":{"spec":{"template":{"$patch":"replace","metadata":)"
                        R"({"labels":{"app":"nginx"}},"spec":{"containers":[{"image":)"
                        R"("nginx:1.14.2","imagePullPolicy":"IfNotPresent")"));
}

TEST_F(SetRevisionsTest, SS80_SignsOfHtmlAreEscapedInTheHash) {
  start();
  add_set(1, {kTemplate1, R"({"spec":{"template":{"spec":{"containers":[{"name":"nginx",
      "image":"nginx:1.14.2","command":["sh","-c","a<b && c>d"],
      "ports":[{"containerPort":80}]}]}}}})"});
  EXPECT_THAT(revision_names(), ElementsAre("web-7cb68667bd"));
}

TEST_F(SetRevisionsTest, SS81_ATakenNameRaisesTheCollisionCount) {
  add_revision("web-6fc8c9d6d6");
  start();
  add_set(1, {kTemplate1});
  EXPECT_THAT(revision_names(), Contains("web-6fc8c9d6d7"));
  EXPECT_EQ(status("collisionCount"), 1);
  EXPECT_EQ(status_text("updateRevision"), "web-6fc8c9d6d7");
  EXPECT_EQ(
      revision("web-6fc8c9d6d7").text_at({"metadata", "labels", "controller.kubernetes.io/hash"}),
      "6fc8c9d6d6")
      << "the first hash stays";
  EXPECT_THAT(events(), Not(Contains(HasSubstr("Revision"))));
}

TEST_F(SetRevisionsTest, SS82_ATakenNameWithEqualDataIsUsed) {
  start();
  add_set(1, {kTemplate1});
  Json foreign = revision("web-6fc8c9d6d6");
  delete_set();
  cluster_.erase<Pod>({"ns", "web-0"});
  cluster_.erase<history::ControllerRevision>({"ns", "web-6fc8c9d6d6"});
  foreign["metadata"].erase("ownerReferences");
  foreign["metadata"].erase("resourceVersion");
  foreign["metadata"]["labels"] = Json::must(R"({"app":"else"})");
  cluster_.add(foreign);
  add_set(1, {kTemplate1});
  EXPECT_THAT(revision_names(), ElementsAre("web-6fc8c9d6d6"));
  EXPECT_EQ(status("collisionCount"), 0);
  EXPECT_EQ(revision("web-6fc8c9d6d6").at({"metadata", "ownerReferences"}), nullptr)
      << "not adopted";
}

TEST_F(SetRevisionsTest, SS83_OldRevisionsBeyondTheLimitGo) {
  start();
  add_ready_set(2, {R"({"spec":{"revisionHistoryLimit":1}})"});
  std::vector<std::string> seen = revision_names();
  for (const char* image : {"nginx:2", "nginx:3", "nginx:4"}) {
    roll_out(image);
    seen.push_back(revision_names().back());
  }
  EXPECT_THAT(revision_names(), ElementsAre(seen[2], seen[3]));
}

TEST_F(SetRevisionsTest, SS84_RevisionsInUseStay) {
  start();
  add_ready_set(2, {R"({"spec":{"revisionHistoryLimit":0}})"});
  set_image("nginx:2");
  EXPECT_THAT(revision_names(), SizeIs(2));
  make_all_ready();
  EXPECT_THAT(revision_names(), SizeIs(1));
}

TEST_F(SetRevisionsTest, SS85_ANegativeLimitKeepsAll) {
  start();
  add_ready_set(1, {R"({"spec":{"revisionHistoryLimit":-1}})"});
  for (const char* image : {"nginx:2", "nginx:3", "nginx:4"}) roll_out(image);
  EXPECT_THAT(revision_names(), SizeIs(4));
}

TEST_F(SetRevisionsTest, SS86_ASetThatIsBeingDeletedAdoptsNoRevision) {
  start();
  add_ready_set(1, {R"({"metadata":{"finalizers":["example.com/f"]}})"});
  delete_set();
  cluster_.clear_records();
  add_revision("web-orphan", R"({"metadata":{"labels":{"app":"x"}}})");
  cluster_.resync("statefulsets");
  run();
  EXPECT_EQ(count(Verb::kPatch, "controllerrevisions"), 0u);
  EXPECT_THAT(cluster_.syncs().back().error,
              HasSubstr("can't adopt ControllerRevisions: ns/web has just been deleted at"));
}

TEST_F(SetRevisionsTest, SS87_RevisionsThatDoNotMatchAreInvisible) {
  start();
  const std::string uid = add_set(1, {R"({"spec":{"revisionHistoryLimit":0}})"});
  add_revision("web-mine", R"({"metadata":{"labels":{"app":"else"},"ownerReferences":[
      {"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","controller":true,"uid":")" +
                               uid + R"("}]},"revision":9})");
  roll_out("nginx:2");
  EXPECT_THAT(revision_names(), Contains("web-mine"));
  EXPECT_EQ(revision(status_text("updateRevision")).text_at({"revision"}), "2");
}

TEST_F(SetRevisionsTest, EqualRevisionsAreNotMerged) {
  start();
  add_ready_set(1);
  const std::string first = revision_names().front();
  Json twice = revision(first);
  twice["metadata"]["name"] = "web-copy";
  twice["metadata"].erase("uid");
  twice["metadata"].erase("resourceVersion");
  twice["revision"] = 7;
  cluster_.add(twice);
  cluster_.clear_records();
  edit_set(R"({"spec":{"minReadySeconds":1}})");
  EXPECT_EQ(status_text("updateRevision"), "web-copy") << "the newest is used";
  EXPECT_THAT(revision_names(), ElementsAre(first, "web-copy"));
}

TEST_F(SetRevisionsTest, ARefusedRevisionWritesNoStatus) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "controllerrevisions",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "quota"});
  add_set(1);
  EXPECT_FALSE(cluster_.syncs().front().ok());
  EXPECT_EQ(count(Verb::kPatch, "statefulsets", "status"), 0u);
  EXPECT_THAT(events(), IsEmpty());
  cluster_.advance(1s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(SetRevisionsTest, ARevisionWithoutATemplateDegradesItsSetOnly) {
  start();
  add_ready_set(1);
  const std::string first = revision_names().front();
  set_image("nginx:2");
  cluster_.modify<history::ControllerRevision>(
      {"ns", first}, [](Json& revision) { revision["data"] = Json::must(R"({"spec":[]})"); });
  cluster_.clear_records();
  set_image("nginx:3");
  EXPECT_THAT(cluster_.syncs().back().error, HasSubstr("ns/" + first));
  add_set(1, {R"({"metadata":{"name":"db"}})"});
  EXPECT_THAT(pod_names(), Contains("db-0"));
}

}  // namespace
}  // namespace davit::statefulset

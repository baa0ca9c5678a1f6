/// Claims of groups of pods, with the gate DRAWorkloadResourceClaims. Rows DRA-14 and DRA-45 to
/// DRA-50.
#include "tests/plugins/resourceclaim/fixture.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class PodGroupTest : public ResourceClaimTest {
 protected:
  void SetUp() override {
    ResourceClaimTest::SetUp();
    add_group("known");  // The server has the kind.
  }

  void add_group(const std::string& name, const std::string& claims = "") {
    cluster_.add(R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{
        "name":")" +
                 name + R"(","namespace":"t","uid":"uid-)" + name +
                 R"("},"spec":{"resourceClaims":[)" + claims + "]}}");
    settle();
  }
  static Json member(const std::string& name, const std::string& claims,
                     const std::string& node = "") {
    Json out = pod(name, claims, node);
    out["spec"]["schedulingGroup"]["podGroupName"] = "pg";
    return out;
  }
  void add_member(const std::string& name, const std::string& claims,
                  const std::string& node = "") {
    cluster_.add(member(name, claims, node));
    settle();
  }
  [[nodiscard]] std::string claim_of_group() {
    return claim_in(cluster_.json<PodGroup>({"t", "pg"}), "g");
  }
};

TEST_F(PodGroupTest, DRA45_AGroupGetsTheClaimOfItsTemplate) {
  start(kOn);
  add_group("pg", from_template());
  ASSERT_THAT(claims(), SizeIs(1));
  EXPECT_THAT(claims()[0], StartsWith("pg-g-"));
  EXPECT_EQ(cluster_.requests_of(Verb::kCreate, "resourceclaims")[0]
                .json()["metadata"]["ownerReferences"]
                .dump(),
            R"([{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","name":"pg",)"
            R"("uid":"uid-pg","controller":true}])");
  EXPECT_EQ(claim_of_group(), claims()[0]);
}

TEST_F(PodGroupTest, DRA46_APodHasTheClaimOfItsGroupAndItsOwn) {
  start(kOn);
  add_group("pg", from_template());
  add_member("p", from_template("g") + "," + from_template("own"));
  EXPECT_EQ(claim_of("p", "g"), claim_of_group());
  EXPECT_THAT(claim_of("p", "own"), StartsWith("p-own-"));
  EXPECT_THAT(claims(), SizeIs(2));
}

TEST_F(PodGroupTest, DRA47_APodThatIsOlderThanItsGroupFollows) {
  start(kOn);
  add_member("p", from_template());
  EXPECT_EQ(cluster_.syncs().back().error,
            "get PodGroup for Pod t/p: podgroup.scheduling.k8s.io \"pg\" not found");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  add_group("pg", from_template());
  cluster_.advance(2s);
  EXPECT_THAT(claims(), SizeIs(1));
  EXPECT_EQ(claim_of("p"), claim_of_group());
  EXPECT_NE(claim_of("p"), "");
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(PodGroupTest, DRA48_ABoundPodReservesTheClaimForItsGroup) {
  start(kOn);
  add_group("pg", from_template());
  add_member("p", from_template(), "n1");
  allocate(claim_of_group(), "");
  EXPECT_EQ(consumers(claim_of_group()),
            R"([{"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"pg",)"
            R"("uid":"uid-pg"}])");
}

TEST_F(PodGroupTest, DRA49_TheEndOfTheGroupFreesItsClaim) {
  start(kOn);
  add_group("pg", from_template());
  add_member("p", from_template(), "n1");
  const std::string name = claim_of_group();
  allocate(name, "");
  cluster_.erase<PodGroup>({"t", "pg"});
  settle();
  EXPECT_EQ(consumers(name), "");
  EXPECT_FALSE(is_allocated(name));
}

TEST_F(PodGroupTest, AnUnknownGroupIsLookedUp) {
  start(kOn);
  const std::string entry = R"({"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":")";
  add_allocated("shared",
                entry + R"(known","uid":"uid-known"},)" + entry + R"(nope","uid":"uid-nope"})");
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 1U);
}

TEST_F(PodGroupTest, DRA50_WithoutTheGateGroupsAreKept) {
  start();
  add_allocated("shared", R"({"apiGroup":"scheduling.k8s.io","resource":"podgroups",
      "name":"nope","uid":"uid-nope"})");
  cluster_.advance(1h);
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 1U);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(PodGroupTest, DRA14_AForeignClaimIsNotThatOfAPodWithoutAGroup) {
  start(kOn);
  add_claim("foreign", R"({"ownerReferences":[{"apiVersion":"scheduling.k8s.io/v1alpha2",
      "kind":"PodGroup","name":"pg","uid":"uid-pg","controller":true}]})");
  Json json = pod("p", from_template());
  json["status"]["resourceClaimStatuses"] =
      Json::must(R"([{"name":"g","resourceClaimName":"foreign"}])");
  cluster_.add(json);
  settle();
  EXPECT_THAT(claim_of("p"), StartsWith("p-g-"));
}

TEST_F(PodGroupTest, MembersFollowAClaimOfTheirGroupThatIsMadeAgain) {
  start(kOn);
  add_group("pg", from_template());
  add_member("p", from_template());
  const std::string first = claim_of_group();
  ASSERT_EQ(claim_of("p"), first);
  cluster_.erase<Claim>({"t", first});
  cluster_.advance(10s);
  ASSERT_NE(claim_of_group(), first);
  EXPECT_EQ(claim_of("p"), claim_of_group());
}

TEST_F(PodGroupTest, AMissingTemplateOfAGroupIsReported) {
  cluster_.erase<Template>({"t", "t1"});
  start(kOn);
  add_group("pg", from_template());
  ASSERT_FALSE(cluster_.events().empty());
  EXPECT_EQ(cluster_.event_texts()[0],
            "Warning FailedResourceClaimCreation PodGroupResourceClaim g: resource claim template "
            "\"t1\": resourceclaimtemplate.resource.k8s.io \"t1\" not found");
}

TEST_F(PodGroupTest, AServerWithoutGroupsLeavesThePods) {
  testing::Cluster cluster({.note = note_text<resourceclaim::declare>()});
  ASSERT_TRUE(cluster.start(kController, &ResourceClaims::open, kOn).ok());
  cluster.run_until_idle();
  bool is_logged = false;
  for (const testing::LogRecord& each : cluster.log()) {
    is_logged = is_logged || each.message == "PodGroups get no claims";
  }
  EXPECT_TRUE(is_logged);
}

}  // namespace
}  // namespace davit::resourceclaim

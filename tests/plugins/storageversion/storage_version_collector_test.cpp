/// Rows CC93 to CC102.
#include "plugins/storageversion/storage_version_collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "plugins/storageversion/note.hpp"

namespace davit::storageversion {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class StorageVersionCollectorTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  static constexpr const char* kController = "storageversion-garbage-collector-controller";
  static constexpr const char* kOn = R"({"storageVersionAPI":"on"})";

  void SetUp() override {
    add_lease("server");
    add_version("apps.deployments", {{"server", "apps/v1"}});
    ASSERT_TRUE(cluster_.start(kController, &StorageVersionCollector::open, kOn).ok());
    settle();
    ASSERT_THAT(requests(), IsEmpty());
  }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void settle() { cluster_.run_until_idle(); }

  void add_lease(const std::string& name, const std::string& identity = "kube-apiserver",
                 const std::string& ns = "kube-system") {
    Json lease = Json::must(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease"})");
    lease["metadata"]["name"] = name;
    lease["metadata"]["namespace"] = ns;
    lease["metadata"]["labels"]["apiserver.kubernetes.io/identity"] = identity;
    cluster_.add(lease);
  }
  /// Entries: server and version.
  using Entries = std::initializer_list<std::pair<const char*, const char*>>;
  void add_version(const std::string& name, const Entries& entries) {
    Json object = Json::must(R"({"apiVersion":"internal.apiserver.k8s.io/v1alpha1",
        "kind":"StorageVersion","spec":{},"status":{"storageVersions":[],
        "commonEncodingVersion":"v0"}})");
    object["metadata"]["name"] = name;
    for (const auto& [server, version] : entries) {
      Json entry = Json::must(R"({"decodableVersions":["v1"],"servedVersions":["v1"]})");
      entry["apiServerID"] = server;
      entry["encodingVersion"] = version;
      object["status"]["storageVersions"].push_back(entry);
    }
    cluster_.add(object);
  }
  [[nodiscard]] bool has(const std::string& name) {
    return cluster_.find<StorageVersion>({"", name}).has_value();
  }
  [[nodiscard]] Servers servers(const std::string& name) {
    return servers_of(cluster_.find<StorageVersion>({"", name}).value());
  }
  [[nodiscard]] std::string status(const std::string& name) const {
    return cluster_.json<StorageVersion>({"", name})["status"].dump();
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<storageversion::declare>()}};
};

TEST_F(StorageVersionCollectorTest, CC93_TheEntryOfAnUnknownServerGoes) {
  add_version("x.foos", {{"server", "v1"}, {"ghost", "v2"}});
  settle();
  EXPECT_THAT(servers("x.foos"), ElementsAre("server"));
  EXPECT_NE(status("x.foos").find(R"("commonEncodingVersion":"v1")"), std::string::npos);
  for (const char* part :
       {R"("type":"AllEncodingVersionsEqual")", R"("status":"True")",
        R"("reason":"CommonEncodingVersionSet")", R"("message":"Common encoding version set")",
        R"("lastTransitionTime":"2024-05-01T12:00:00Z")"}) {
    EXPECT_NE(status("x.foos").find(part), std::string::npos) << part << status("x.foos");
  }
}

TEST_F(StorageVersionCollectorTest, CC94_AnObjectWithoutOtherEntriesGoes) {
  add_version("x.foos", {{"ghost", "v1"}, {"ghost2", "v1"}});
  settle();
  EXPECT_FALSE(has("x.foos"));
  EXPECT_TRUE(has("apps.deployments"));
}

TEST_F(StorageVersionCollectorTest, AnEntryThatComesDuringTheDeletionStays) {
  bool is_added = false;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.verb != Verb::kDelete || each.http_status != 0 || std::exchange(is_added, true)) {
      return;
    }
    add_version("x.foos", {{"ghost", "v1"}, {"server", "v1"}});
  });
  add_version("x.foos", {{"ghost", "v1"}});
  settle();
  cluster_.advance(1s);
  cluster_.on_request({});
  ASSERT_TRUE(has("x.foos"));
  EXPECT_THAT(servers("x.foos"), ElementsAre("server"));
}

TEST_F(StorageVersionCollectorTest, CC95_ALeaseWithoutTheLabelIsNoServer) {
  add_lease("other", "something");
  add_lease("elsewhere", "kube-apiserver", "default");
  add_version("x.foos", {{"server", "v1"}, {"other", "v1"}, {"elsewhere", "v1"}});
  settle();
  EXPECT_THAT(servers("x.foos"), ElementsAre("server"));
}

TEST_F(StorageVersionCollectorTest, ALeaseThatLosesTheLabelRemovesItsEntries) {
  add_lease("second");
  add_version("x.foos", {{"server", "v1"}, {"second", "v1"}});
  settle();
  cluster_.merge<Lease>({"kube-system", "second"}, R"({"metadata":{"labels":null}})");
  settle();
  EXPECT_THAT(servers("x.foos"), ElementsAre("server"));
}

TEST_F(StorageVersionCollectorTest, AnEntryWithoutAVersionAgreesWithNoOther) {
  add_lease("second");
  add_version("x.foos", {{"second", ""}, {"server", "v1"}, {"ghost", "v1"}});
  settle();
  EXPECT_NE(status("x.foos").find("CommonEncodingVersionUnset"), std::string::npos)
      << status("x.foos");
}

TEST_F(StorageVersionCollectorTest, CC96_ADeletedLeaseRemovesItsEntriesEverywhere) {
  add_lease("second");
  add_version("a.foos", {{"server", "v1"}, {"second", "v1"}});
  add_version("b.foos", {{"second", "v1"}});
  settle();
  cluster_.clear_records();
  cluster_.remove<Lease>({"kube-system", "second"});
  settle();
  EXPECT_THAT(servers("a.foos"), ElementsAre("server"));
  EXPECT_FALSE(has("b.foos"));
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "storageversions"), ::testing::SizeIs(1));
  EXPECT_THAT(servers("apps.deployments"), ElementsAre("server"));
}

TEST_F(StorageVersionCollectorTest, CC97_ALeaseThatIsMadeAgainKeepsItsEntries) {
  cluster_.hold("leases");
  cluster_.remove<Lease>({"kube-system", "server"});
  add_lease("server");
  cluster_.release("leases");
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(StorageVersionCollectorTest, CC98_AFailedReadOfALeaseRemovesNothing) {
  cluster_.hold("leases");
  add_lease("second");
  cluster_.fail_next({.verb = Verb::kGet, .resource = "leases", .times = 4});
  add_version("x.foos", {{"server", "v1"}, {"second", "v1"}});
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "X5";
  cluster_.advance(1s);
  EXPECT_THAT(servers("x.foos"), ElementsAre("second", "server"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(requests(), Contains("get leases/second 200"));
}

TEST_F(StorageVersionCollectorTest, CC99_ServersThatDoNotAgreeHaveNoCommonVersion) {
  add_lease("second");
  add_version("x.foos", {{"server", "v1"}, {"second", "v1beta1"}, {"ghost", "v1"}});
  settle();
  const std::string found = status("x.foos");
  EXPECT_EQ(found.find("commonEncodingVersion"), std::string::npos) << found;
  for (const char* part : {R"("status":"False")", R"("reason":"CommonEncodingVersionUnset")",
                           R"("message":"Common encoding version unset")"}) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  }
}

TEST_F(StorageVersionCollectorTest, CC100_AConflictIsTriedAgain) {
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict"});
  add_version("x.foos", {{"server", "v1"}, {"ghost", "v1"}});
  cluster_.advance(1s);
  EXPECT_THAT(servers("x.foos"), ElementsAre("server"));
}

TEST_F(StorageVersionCollectorTest, CC101_WithoutGateOrResourceItIsSkipped) {
  testing::Cluster other({.note = note_text<storageversion::declare>()});
  EXPECT_EQ(other.start(kController, &StorageVersionCollector::open, kOn).code(),
            Code::kUnsupported);
  for (const char* config : {"", "{}", R"({"storageVersionAPI":"off"})"}) {
    testing::Cluster off({.note = note_text<storageversion::declare>()});
    EXPECT_EQ(off.start(kController, &StorageVersionCollector::open, config).code(),
              Code::kUnsupported);
  }
  for (const char* config : {R"({"storageVersionAPI":"x"})", R"({"x":"on"})"}) {
    testing::Cluster bad({.note = note_text<storageversion::declare>()});
    const Status started = bad.start(kController, &StorageVersionCollector::open, config);
    EXPECT_NE(started.code(), Code::kUnsupported);
    EXPECT_FALSE(started.ok());
  }
}

TEST_F(StorageVersionCollectorTest, CC102_OtherLeasesCauseNoRequest) {
  add_lease("node", "kube-apiserver", "kube-node-lease");
  add_lease("holder", "something");
  settle();
  cluster_.remove<Lease>({"kube-node-lease", "node"});
  cluster_.remove<Lease>({"kube-system", "holder"});
  settle();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(StorageVersionCollectorTest, TheConditionKeepsItsTimeUnlessTheVersionMoves) {
  add_version("x.foos", {{"server", "v1"}, {"ghost", "v1"}});
  settle();
  cluster_.advance(1h);
  const auto add_ghost = [this] {
    cluster_.modify<StorageVersion>({"", "x.foos"}, [](Json& object) {
      object["status"]["storageVersions"].push_back(
          Json::must(R"({"apiServerID":"ghost","encodingVersion":"v1"})"));
    });
    settle();
  };
  add_ghost();
  EXPECT_NE(status("x.foos").find("2024-05-01T12:00:00Z"), std::string::npos);
  cluster_.merge<StorageVersion>({"", "x.foos"}, R"({"status":{"commonEncodingVersion":"v0"}})");
  add_ghost();
  EXPECT_NE(status("x.foos").find("2024-05-01T13:00:00Z"), std::string::npos) << status("x.foos");
}

TEST_F(StorageVersionCollectorTest, TheNoteHasNoRightThatIsNotUsed) {
  add_lease("second");
  add_version("a.foos", {{"server", "v1"}, {"second", "v1"}});
  add_version("b.foos", {{"ghost", "v1"}});
  settle();
  cluster_.remove<Lease>({"kube-system", "second"});
  settle();
  EXPECT_THAT(cluster_.unused_declarations(), IsEmpty());
}

}  // namespace
}  // namespace davit::storageversion

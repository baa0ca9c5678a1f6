#include "host/api/discovery.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <thread>

#include "host/api/discovery_document.hpp"
#include "host/api/discovery_poll.hpp"
#include "tests/host/api/rest_fixture.hpp"

namespace davit::host {
namespace {

constexpr char kAggregatedType[] =
    "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList";

constexpr char kCore[] = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[
  {"version":"v1","freshness":"Current","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","verbs":["list","watch","create"],
     "subresources":[{"subresource":"status","verbs":["get"]}]},
    {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster","verbs":["list"]}]}]}]})";

constexpr char kApps[] = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"apps"},"versions":[{"version":"v1","freshness":"Current","resources":[
    {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
     "verbs":["list"],"subresources":[{"subresource":"status"}]}]}]},
  {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]})";

class DiscoveryTest : public RestTest {
 protected:
  // Serves documents by path, and 404 for the others.
  void serve(std::map<std::string, test::ScriptedResponse> documents) {
    transport_.set_script([documents](const HttpRequest& request) {
      const auto found = documents.find(request.target);
      return found == documents.end() ? response_of(404, "") : found->second;
    });
  }
  void serve_aggregated() {
    test::ScriptedResponse core = response_of(200, kCore);
    core.headers = {{"content-type", kAggregatedType}};
    test::ScriptedResponse apps = response_of(200, kApps);
    apps.headers = {{"content-type", kAggregatedType}};
    serve({{"/api", core}, {"/apis", apps}});
  }
  static std::map<std::string, test::ScriptedResponse> legacy() {
    return {
        {"/api", response_of(200, R"({"kind":"APIVersions","versions":["v1"]})")},
        {"/apis", response_of(200, R"({"kind":"APIGroupList","groups":[
          {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],
           "preferredVersion":{"version":"v1"}},
          {"name":"bad.io","versions":[{"version":"v1"}]}]})")},
        {"/api/v1", response_of(200, R"({"kind":"APIResourceList","resources":[
          {"name":"pods","namespaced":true,"kind":"Pod","singularName":"pod",
           "verbs":["list","watch","create"]},
          {"name":"pods/status","namespaced":true,"kind":"Pod","verbs":["get"]},
          {"name":"nodes","namespaced":false,"kind":"Node","verbs":["list"]}]})")},
        {"/apis/apps/v1", response_of(200, R"({"kind":"APIResourceList","resources":[
          {"name":"deployments","namespaced":true,"kind":"Deployment","verbs":["list"]},
          {"name":"deployments/status","namespaced":true,"kind":"Deployment","verbs":["get"]}]})")},
        {"/apis/apps/v1beta1", response_of(200, R"({"kind":"APIResourceList","resources":[
          {"name":"deployments","namespaced":true,"kind":"Deployment","verbs":["list"]},
          {"name":"oldthings","namespaced":true,"kind":"OldThing","verbs":["list"]}]})")},
        {"/apis/bad.io/v1", response_of(503, "")},
    };
  }
  std::size_t requests() const { return transport_.requests().size(); }
};

TEST_F(DiscoveryTest, AggregatedServerIsAskedTwiceRT130) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);

  const Result<ResourceInfo> pods = discovery.find("", "v1", "pods");

  ASSERT_TRUE(pods) << pods.error().message();
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_EQ(pods->scope, Scope::kNamespaced);
  EXPECT_TRUE(pods->has_verb("watch"));
  EXPECT_FALSE(pods->has_verb("delete"));
  EXPECT_TRUE(pods->has_subresource("status"));
  EXPECT_EQ(discovery.find("", "v1", "nodes")->scope, Scope::kCluster);
  // A stale group makes upstream ask a second time; two documents each.
  EXPECT_EQ(requests(), 4u);
}

TEST_F(DiscoveryTest, FailedGroupIsAFailureAndNotAMissRT131) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_EQ(discovery.find("metrics.k8s.io", "v1beta1", "pods").error().code(), Code::kUnavailable);
  EXPECT_EQ(discovery.find("metrics.k8s.io", "", "pods").error().code(), Code::kUnavailable);
  EXPECT_EQ(discovery.find("apps", "v1", "foos").error().code(), Code::kNotFound);
  EXPECT_EQ(discovery.find("none.io", "v1", "foos").error().code(), Code::kNotFound);
  EXPECT_TRUE(discovery.find("apps", "v1", "deployments"));
}

TEST_F(DiscoveryTest, NewResourceIsFoundAfterAResetRT132) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_EQ(discovery.find("bad.io", "v1", "things").error().code(), Code::kNotFound);
  auto documents = legacy();
  documents["/apis/bad.io/v1"] = response_of(200, R"({"kind":"APIResourceList","resources":[
      {"name":"things","namespaced":true,"kind":"Thing","verbs":["list"]}]})");
  serve(documents);
  EXPECT_EQ(discovery.find("bad.io", "v1", "things").error().code(), Code::kNotFound);

  discovery.reset();

  EXPECT_EQ(discovery.find("bad.io", "v1", "things")->kind, "Thing");
}

TEST_F(DiscoveryTest, DocumentWithoutItsListIsAnError) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"/api", R"({"kind":"APIVersions"})"},
      {"/apis", R"({"kind":"APIGroupList"})"},
      {"/apis", "{}"},
      {"/apis", R"({"kind":"Status","apiVersion":"v1","status":"Success"})"},
      {"/apis/apps/v1", R"({"kind":"APIResourceList"})"},
      {"/apis/apps/v1", R"({"kind":"APIResourceList","groupVersion":"v1","resources":[]})"},
  };
  RestClient rest = client();
  for (const auto& [path, body] : kWrong) {
    auto documents = legacy();
    documents[path] = response_of(200, body);
    serve(documents);
    Discovery discovery(rest);
    EXPECT_EQ(discovery.find("apps", "v1", "deployments").error().code(), Code::kUnavailable)
        << path << " " << body;
  }
}

TEST_F(DiscoveryTest, OldServerGivesTheSameResponsesRT133) {
  serve(legacy());
  RestClient rest = client();
  Discovery discovery(rest);
  const Result<ResourceInfo> pods = discovery.find("", "v1", "pods");
  ASSERT_TRUE(pods) << pods.error().message();
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_TRUE(pods->has_subresource("status"));
  EXPECT_EQ(discovery.find("", "v1", "nodes")->scope, Scope::kCluster);
  EXPECT_EQ(discovery.find("apps", "", "deployments")->version, "v1") << "the preferred one";
  EXPECT_EQ(discovery.find("apps", "", "oldthings")->version, "v1beta1") << "the one that has it";
  EXPECT_EQ(discovery.find("bad.io", "v1", "things").error().code(), Code::kUnavailable);
}

TEST_F(DiscoveryTest, OldServerIsAskedForItsGroupsOnce) {
  std::map<std::string, test::ScriptedResponse> documents = legacy();
  documents["/apis/bad.io/v1"] = response_of(200, R"({"kind":"APIResourceList","resources":[]})");
  serve(documents);
  RestClient rest = client();
  Discovery discovery(rest);
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(requests(), documents.size());
}

TEST_F(DiscoveryTest, ServerThatKnowsTheAggregatedFormOfOneRootOnlyIsAskedForThePlainOnes) {
  test::ScriptedResponse core = response_of(200, kCore);
  core.headers = {{"content-type", kAggregatedType}};
  const std::map<std::string, test::ScriptedResponse> documents = legacy();
  transport_.set_script([documents, core](const HttpRequest& request) {
    const bool is_plain = std::ranges::any_of(request.headers, [](const auto& header) {
      return header.first == "Accept" && header.second == "application/json";
    });
    if (request.target == "/api" && !is_plain) return core;
    const auto found = documents.find(request.target);
    return found == documents.end() ? response_of(404, "") : found->second;
  });
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_EQ(discovery.find("apps", "v1", "deployments")->kind, "Deployment");
}

TEST_F(DiscoveryTest, KindLeadsToItsResource) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_EQ(discovery.find_kind("apps", "v1", "Deployment")->resource, "deployments");
  EXPECT_EQ(discovery.find_kind("apps", "v1", "Pod").error().code(), Code::kNotFound);
}

TEST_F(DiscoveryTest, UnreachableServerIsUnavailableAndAskedAgainNextTime) {
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_EQ(discovery.find("", "v1", "pods").error().code(), Code::kUnavailable);
  serve_aggregated();
  EXPECT_TRUE(discovery.find("", "v1", "pods"));
}

TEST_F(DiscoveryTest, OldCatalogServesOnButDeniesNothingWhileTheServerIsAway) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_TRUE(discovery.find("", "v1", "pods"));
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kRefused); });
  discovery.reset();
  EXPECT_TRUE(discovery.find("", "v1", "pods"));
  EXPECT_EQ(discovery.find("new.io", "v1", "things").error().code(), Code::kUnavailable);
}

TEST_F(DiscoveryTest, TheTextOfTheLastFailureIsInWhatAnOldCatalogCannotTell) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_TRUE(discovery.find("", "v1", "pods"));
  transport_.set_script([](const HttpRequest&) {
    return response_of(403, R"({"kind":"Status","apiVersion":"v1","metadata":{},
                                "status":"Failure","message":"not for you",
                                "reason":"Forbidden","code":403})");
  });
  discovery.reset();
  EXPECT_THAT(discovery.find("new.io", "v1", "things").error().message(),
              ::testing::HasSubstr("not for you"));
}

TEST_F(DiscoveryTest, ACoreGroupThatVanishesIsUnknownAndNotGone) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  ASSERT_TRUE(discovery.find("", "v1", "pods"));

  test::ScriptedResponse apps = response_of(200, kApps);
  apps.headers = {{"content-type", kAggregatedType}};
  serve({{"/apis", apps}});
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(discovery.find("", "v1", "pods").error().code(), Code::kUnavailable);
  EXPECT_TRUE(discovery.find("apps", "v1", "deployments"));
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(discovery.find("", "v1", "pods").error().code(), Code::kUnavailable);

  serve_aggregated();
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_TRUE(discovery.find("", "v1", "pods"));
}

/// Callers of one Discovery, each on its thread, while the first fetch is under way.
class SharedFetchTest : public DiscoveryTest {
 protected:
  static constexpr std::size_t kCallers = 40;
  static constexpr std::size_t kDocuments = 2;

  void SetUp() override {
    for (const char* body : {kCore, kNoGroups}) {
      test::ScriptedResponse document = response_of(200, body);
      document.headers = {{"content-type", kAggregatedType}};
      document.rest = test::ScriptedResponse::Rest::kOpen;
      transport_.respond(document);
    }
    test::ScriptedResponse core = response_of(200, kCore);
    core.headers = {{"content-type", kAggregatedType}};
    test::ScriptedResponse none = response_of(200, kNoGroups);
    none.headers = {{"content-type", kAggregatedType}};
    serve({{"/api", core}, {"/apis", none}});
  }
  /// All but the first wait, or have sent requests of their own.
  void await_callers() {
    while (discovery_.waiting() + (requests() - kDocuments) / kDocuments + 1 < kCallers) {
      std::this_thread::yield();
    }
  }
  void end_first_fetch(TransportEnd end = {}) {
    for (std::size_t i = 0; i < kDocuments; ++i) transport_.finish(i, end);
  }

  static constexpr char kNoGroups[] = R"({"kind":"APIGroupDiscoveryList","items":[]})";
  RestClient rest_ = client();
  Discovery discovery_{rest_};
};

TEST_F(SharedFetchTest, CallersThatMeetAnOldCatalogShareOneFetch) {
  std::vector<std::future<Result<ResourceInfo>>> callers;
  for (std::size_t i = 0; i < kCallers; ++i) {
    callers.push_back(
        std::async(std::launch::async, [this] { return discovery_.find("", "v1", "pods"); }));
    if (i == 0) transport_.await_requests(kDocuments);
  }
  await_callers();
  end_first_fetch();
  for (auto& each : callers) EXPECT_TRUE(each.get());
  EXPECT_EQ(requests(), kDocuments);
}

TEST_F(SharedFetchTest, CallersThatWantTheServersPresentStateShareTheNextFetch) {
  std::vector<std::future<Status>> callers;
  for (std::size_t i = 0; i < kCallers; ++i) {
    callers.push_back(std::async(std::launch::async, [this] { return discovery_.refresh(); }));
    if (i == 0) transport_.await_requests(kDocuments);
  }
  await_callers();
  end_first_fetch();
  for (auto& each : callers) EXPECT_TRUE(each.get().ok());
  EXPECT_EQ(requests(), 2 * kDocuments) << "the first fetch began before they asked";
}

TEST_F(SharedFetchTest, ACallerThatIsStoppedStopsNoOther) {
  std::stop_source stop;
  auto first = std::async(std::launch::async,
                          [&] { return discovery_.find("", "v1", "pods", stop.get_token()); });
  transport_.await_requests(kDocuments);
  auto second =
      std::async(std::launch::async, [this] { return discovery_.find("", "v1", "pods"); });
  while (discovery_.waiting() == 0) std::this_thread::yield();
  stop.request_stop();
  EXPECT_TRUE(second.get());
  // The first may have found what the second has fetched by then.
  const Code code = first.get().error().code();
  EXPECT_TRUE(code == Code::kCancelled || code == Code::kOk);
}

TEST_F(DiscoveryTest, ServerWithoutACoreGroupIsTolerated) {
  test::ScriptedResponse apps = response_of(200, kApps);
  apps.headers = {{"content-type", kAggregatedType}};
  serve({{"/apis", apps}});
  RestClient rest = client();
  Discovery discovery(rest);
  EXPECT_TRUE(discovery.find("apps", "v1", "deployments"));
}

TEST(DiscoveryDocumentTest, ContentTypeParametersComeInAnyOrder) {
  EXPECT_TRUE(is_aggregated(kAggregatedType));
  EXPECT_TRUE(is_aggregated(
      "application/json; as=APIGroupDiscoveryList; g=apidiscovery.k8s.io; v=v2beta1"));
  EXPECT_FALSE(is_aggregated("application/json"));
  EXPECT_FALSE(is_aggregated("application/json;as=APIGroupDiscoveryList"));
}

TEST(DiscoveryDocumentTest, AResourceWithoutAScopeOrAKindIsReadAsClientGoReadsIt) {
  const auto groups = read_aggregated(R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"a.io"},"versions":[{"version":"v1","resources":[
      {"resource":"as","responseKind":{"kind":"A"},"scope":"Namespaced"},
      {"resource":"bs","responseKind":{"kind":"B"}},
      {"resource":"cs","responseKind":{"kind":""},"scope":"Namespaced"},
      {"resource":"ds","scope":"Namespaced"}]}]}]})");
  ASSERT_TRUE(groups) << groups.error().message();
  const std::vector<ResourceInfo>& resources = groups->front().versions.front().resources;
  ASSERT_EQ(resources.size(), 2u) << "the others have no kind";
  EXPECT_EQ(resources[0].scope, Scope::kNamespaced);
  EXPECT_EQ(resources[1].scope, Scope::kCluster);
}

TEST(DiscoveryDocumentTest, CustomMetricsAreServedAlthoughTheirResourcesHaveNoKind) {
  const auto groups = read_aggregated(R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"custom.metrics.k8s.io"},"versions":[{"version":"v1beta2","resources":[
      {"resource":"pods","responseKind":{"kind":""},"scope":"Namespaced","subresources":[
        {"subresource":"hits","responseKind":{"kind":"MetricValueList"}}]}]}]}]})");
  ASSERT_TRUE(groups) << groups.error().message();
  const std::vector<ResourceInfo>& aggregated = groups->front().versions.front().resources;
  const auto legacy = read_resources(R"({"kind":"APIResourceList","resources":[
      {"name":"pods/hits","kind":"MetricValueList","namespaced":true,"verbs":["get"]}]})",
                                     "custom.metrics.k8s.io", "v1beta2");
  ASSERT_TRUE(legacy) << legacy.error().message();
  for (const std::vector<ResourceInfo>& resources : {aggregated, *legacy}) {
    ASSERT_EQ(resources.size(), 1u);
    EXPECT_EQ(resources[0].resource, "pods");
    EXPECT_TRUE(resources[0].has_subresource("hits"));
    EXPECT_EQ(resources[0].kind, "");
  }
}

TEST(DiscoveryDocumentTest, WrongDocumentsAreErrors) {
  for (const char* bad : {"", "[]", "{", R"({"kind":"PodList"})", "<html>"}) {
    EXPECT_FALSE(read_aggregated(bad)) << bad;
    EXPECT_FALSE(read_groups(bad)) << bad;
    EXPECT_FALSE(read_core_versions(bad)) << bad;
    EXPECT_FALSE(read_resources(bad, "", "v1")) << bad;
  }
}

/// Counts how often it was notified.
class CountingListener final : public DiscoveryListener {
 public:
  explicit CountingListener(Discovery& discovery) : discovery_(discovery) {
    discovery_.add_listener(*this);
  }
  ~CountingListener() override { discovery_.remove_listener(*this); }
  void discovery_changed() override { ++changes; }

  int changes = 0;

 private:
  Discovery& discovery_;
};

TEST_F(DiscoveryTest, ListenersAreNotifiedOfADifferentCatalogAndOfNoOther) {
  std::map<std::string, test::ScriptedResponse> documents = legacy();
  serve(documents);
  RestClient rest = client();
  Discovery discovery(rest);
  ASSERT_TRUE(discovery.refresh().ok());
  const CountingListener listener(discovery);

  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(listener.changes, 0) << "the server says what it said before";

  documents["/apis/bad.io/v1"] = response_of(200, R"({"kind":"APIResourceList","resources":[]})");
  serve(documents);
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(listener.changes, 1) << "a group that was unknown is known";

  documents.erase("/apis/apps/v1beta1");
  serve(documents);
  ASSERT_TRUE(discovery.refresh().ok());
  EXPECT_EQ(listener.changes, 2);
}

TEST_F(DiscoveryTest, AServerThatDoesNotRespondChangesNothingForListeners) {
  serve(legacy());
  RestClient rest = client();
  Discovery discovery(rest);
  ASSERT_TRUE(discovery.refresh().ok());
  const CountingListener listener(discovery);

  serve({{"/api", response_of(503, "")}, {"/apis", response_of(503, "")}});

  EXPECT_FALSE(discovery.refresh().ok());
  EXPECT_EQ(listener.changes, 0);
}

TEST_F(DiscoveryTest, ThePollRefreshesEveryThirtySecondsAndSoonAfterARequest) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  DiscoveryPoll poll(discovery, clock_, Logger(sink_));
  const Time start = clock_.now();
  ASSERT_EQ(poll.step({}), start + DiscoveryPoll::kPeriod);
  const std::size_t once = requests();

  EXPECT_EQ(poll.step({}), start + DiscoveryPoll::kGapMin);
  discovery.request_refresh();
  EXPECT_EQ(poll.step({}), start + DiscoveryPoll::kGapMin);
  EXPECT_EQ(requests(), once) << "not more often than once a second";

  clock_.advance(DiscoveryPoll::kGapMin);
  EXPECT_EQ(poll.step({}), clock_.now() + DiscoveryPoll::kSecondLook);
  EXPECT_EQ(requests(), 2 * once);
  clock_.advance(DiscoveryPoll::kSecondLook);
  EXPECT_EQ(poll.step({}), clock_.now() + DiscoveryPoll::kPeriod);
  EXPECT_EQ(requests(), 3 * once) << "the server's discovery may have been late";

  clock_.advance(std::chrono::seconds(29));
  (void)poll.step({});
  EXPECT_EQ(requests(), 3 * once) << "there was no request";
  clock_.advance(std::chrono::seconds(1));
  (void)poll.step({});
  EXPECT_EQ(requests(), 4 * once);
}

TEST_F(DiscoveryTest, ThePollLeavesOutWhatOthersHaveFetched) {
  serve_aggregated();
  RestClient rest = client();
  Discovery discovery(rest);
  DiscoveryPoll poll(discovery, clock_, Logger(sink_));
  ASSERT_TRUE(discovery.refresh().ok());
  const std::size_t once = requests();

  EXPECT_EQ(poll.step({}), clock_.now() + DiscoveryPoll::kPeriod);
  EXPECT_EQ(requests(), once) << "the catalog of the start is new";

  clock_.advance(std::chrono::seconds(20));
  ASSERT_TRUE(discovery.refresh().ok());
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(poll.step({}), clock_.now() + std::chrono::seconds(20));
  EXPECT_EQ(requests(), 2 * once) << "a controller has asked since";

  clock_.advance(std::chrono::seconds(20));
  EXPECT_EQ(poll.step({}), clock_.now() + DiscoveryPoll::kPeriod);
  EXPECT_EQ(requests(), 3 * once);
}

}  // namespace
}  // namespace davit::host

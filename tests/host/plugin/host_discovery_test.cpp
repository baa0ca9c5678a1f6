/// "davit.discovery/1": what a plugin gets of the catalog, and when its keys are added.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;

/// A server without aggregated discovery, one of whose groups does not respond.
constexpr char kGroups[] = R"({"kind":"APIGroupList","groups":[
  {"name":"bad.io","versions":[{"version":"v1"}]},
  {"name":"apps","versions":[{"version":"v1"}]}]})";
constexpr char kApps[] = R"({"kind":"APIResourceList","resources":[
  {"name":"deployments","namespaced":true,"kind":"Deployment","verbs":["list","watch"]},
  {"name":"deployments/scale","namespaced":true,"kind":"Scale","verbs":["get"]}]})";

class HostDiscoveryTest : public ControllerHostTest {
 protected:
  HostDiscoveryTest() {
    discovery_transport_.set_script([this](const HttpRequest& request) {
      if (request.target == "/apis") return response_of(200, kGroups);
      if (request.target == "/apis/apps/v1") return response_of(200, apps_);
      return response_of(request.target == "/apis/bad.io/v1" ? 503 : 404, "");
    });
  }

  davit_served_resource empty() {
    davit_served_resource made{};
    made.size = sizeof(made);
    return made;
  }
  davit_code find(std::string_view group, std::string_view resource) {
    return inside(Phase::kSync, [&] {
      davit_served_resource found = empty();
      return table_->find(current_call, str(group), str(""), str(resource), &found);
    });
  }

  const davit_discovery_v1* table_ = Tables::get<davit_discovery_v1>("davit.discovery/1");
  std::string apps_ = kApps;
};

TEST_F(HostDiscoveryTest, AGroupThatDoesNotRespondIsUnknownAndNotGone) {
  start_with([] {});

  EXPECT_EQ(find("apps", "deployments"), DAVIT_OK);
  EXPECT_EQ(find("apps", "widgets"), DAVIT_NOT_FOUND);
  EXPECT_EQ(find("bad.io", "widgets"), DAVIT_UNAVAILABLE);
  inside(Phase::kSync, [&] {
    davit_catalog catalog{};
    catalog.size = sizeof(catalog);
    EXPECT_EQ(table_->catalog(current_call, &catalog), DAVIT_OK);
    ASSERT_EQ(catalog.resource_count, 1U) << "subresources are none";
    EXPECT_EQ(catalog.fetched_ns, clock_.now().time_since_epoch().count());
    const davit_served_resource& found = catalog.resources[0];
    EXPECT_EQ(view(found.kind), "Deployment");
    EXPECT_EQ(found.scope, DAVIT_SCOPE_NAMESPACED);
    EXPECT_EQ(found.is_preferred, 1);
    ASSERT_EQ(found.verb_count, 2U);
    EXPECT_EQ(view(found.verbs[1]), "watch");
    ASSERT_EQ(found.subresource_count, 1U);
    EXPECT_EQ(view(found.subresources[0]), "scale");
    ASSERT_EQ(catalog.unknown_count, 1U);
    EXPECT_EQ(view(catalog.unknown[0].group), "bad.io");
    EXPECT_EQ(view(catalog.unknown[0].version), "v1");
  });
}

TEST_F(HostDiscoveryTest, AFetchSeesWhatTheCatalogInMemoryDoesNotYetShow) {
  start_with([] {});
  EXPECT_EQ(find("apps", "deployments"), DAVIT_OK);
  apps_ = R"({"kind":"APIResourceList","resources":[]})";
  const auto count = [this](auto ask) {
    return inside(Phase::kSync, [&] {
      davit_catalog catalog{};
      catalog.size = sizeof(catalog);
      EXPECT_EQ(ask(current_call, &catalog), DAVIT_OK);
      return catalog.resource_count;
    });
  };

  EXPECT_EQ(count(table_->catalog), 1U);
  EXPECT_EQ(count(table_->fetch), 0U);
  EXPECT_EQ(count(table_->catalog), 0U) << "others gain by it";
}

TEST_F(HostDiscoveryTest, ACallerOfALesserMinorGetsAsMuchAsItKnows) {
  start_with([] {});

  inside(Phase::kSync, [&] {
    davit_served_resource found{};
    found.size = offsetof(davit_served_resource, kind);
    EXPECT_EQ(table_->find_kind(current_call, str("apps"), str("v1"), str("Deployment"), &found),
              DAVIT_OK);
    EXPECT_EQ(found.size, offsetof(davit_served_resource, kind));
    EXPECT_EQ(view(found.resource), "deployments");
    EXPECT_EQ(found.kind.data, nullptr);
  });
}

TEST_F(HostDiscoveryTest, KeysAreAddedAtOnceAndAtEachChangeUntilTheControllerEnds) {
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue();
    EXPECT_EQ(table_->wake(current_call, queue, str("all")), DAVIT_OK);
  });
  commit();
  run();
  EXPECT_THAT(synced_.await(1), ElementsAre("all"));
  ASSERT_TRUE(discovery_.refresh().ok());
  EXPECT_EQ(synced_.await(2).size(), 2U) << "the first catalog is a change";

  apps_ = R"({"kind":"APIResourceList","resources":[]})";
  ASSERT_TRUE(discovery_.refresh().ok());
  EXPECT_EQ(synced_.await(3).size(), 3U);

  host_.reset();
  EXPECT_FALSE(discovery_.has_listeners());
}

TEST_F(HostDiscoveryTest, KeysForStrangeQueuesAndTooManyKeysAreRefused) {
  start_with([&] {
    const davit_handle queue = open_queue();
    EXPECT_EQ(table_->wake(current_call, queue + 1, str("all")), DAVIT_STALE);
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(table_->wake(current_call, queue, str(std::to_string(i))), DAVIT_OK);
    }
    EXPECT_EQ(table_->wake(current_call, queue, str("more")), DAVIT_UNSUPPORTED);
    EXPECT_EQ(table_->wake(current_call, queue, str("0")), DAVIT_OK) << "this one is there";
  });
}

TEST_F(HostDiscoveryTest, LookupsWaitForTheServerSoHandlersMayNotMakeThem) {
  start_with([] {});

  inside(Phase::kHandler, [&] {
    davit_served_resource found = empty();
    EXPECT_EQ(table_->find(current_call, str("apps"), str(""), str("deployments"), &found),
              DAVIT_MISUSE);
    EXPECT_EQ(table_->refresh(current_call), DAVIT_OK);
  });
  EXPECT_TRUE(discovery_.take_request());
}

}  // namespace
}  // namespace davit::host

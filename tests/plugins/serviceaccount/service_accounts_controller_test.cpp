/// Rows SA01 to SA10.
#include "plugins/serviceaccount/service_accounts_controller.hpp"

#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ServiceAccountsControllerTest : public ServiceAccountTest {
 protected:
  static constexpr const char* kController = "serviceaccount-controller";
  static constexpr const char* kCreated = "create serviceaccounts/default 201";

  /// Runs, and has done its work for the namespaces that every cluster has.
  void SetUp() override {
    start(kController, &make<ServiceAccountsController>);
    cluster_.clear_records();
  }
};

TEST_F(ServiceAccountsControllerTest, SA01_ANewNamespaceGetsItsDefaultAccount) {
  add_namespace("ns");
  ASSERT_THAT(requests(), ElementsAre(kCreated));
  EXPECT_EQ(cluster_.writes().front().body, R"({"metadata":{"name":"default"}})");
  EXPECT_TRUE(has<ServiceAccount>("default"));
}

TEST_F(ServiceAccountsControllerTest, SA02_ADeletedDefaultIsCreatedAgain) {
  add_namespace("ns");
  const std::string uid = json<ServiceAccount>("default").text_at({"metadata", "uid"});
  cluster_.remove<ServiceAccount>({"ns", "default"});
  settle();
  ASSERT_TRUE(has<ServiceAccount>("default"));
  EXPECT_NE(json<ServiceAccount>("default").text_at({"metadata", "uid"}), uid);
}

TEST_F(ServiceAccountsControllerTest, SA03_TheDeletionOfAnotherAccountCausesNoWrite) {
  add_namespace("ns");
  add_account();
  cluster_.clear_records();
  cluster_.remove<ServiceAccount>({"ns", "s"});
  settle();
  EXPECT_THAT(cluster_.syncs(), SizeIs(1));
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(ServiceAccountsControllerTest, SA04_ANamespaceThatIsBeingDeletedGetsNone) {
  add_terminating_namespace("ns");
  cluster_.add(R"({"apiVersion":"v1","kind":"ServiceAccount",
                   "metadata":{"name":"default","namespace":"ns"}})");
  settle();
  cluster_.remove<ServiceAccount>({"ns", "default"});
  settle();
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_FALSE(has<ServiceAccount>("default"));
}

TEST_F(ServiceAccountsControllerTest, SA05_NamespacesFromBeforeTheStartGetTheirs) {
  cluster_.stop(kController);
  for (int i = 0; i < 20; ++i) add_namespace("ns-" + std::to_string(i));
  start(kController, &make<ServiceAccountsController>);
  EXPECT_THAT(requests(), SizeIs(20));
  EXPECT_THAT(requests(), Each(kCreated));
}

TEST_F(ServiceAccountsControllerTest, SA06_AnEditedDefaultStaysAsItIs) {
  add_namespace("ns");
  merge<ServiceAccount>("default", R"({"metadata":{"labels":{"a":"b"}},"secrets":[{"name":"x"}]})");
  cluster_.clear_records();
  cluster_.advance(24h);
  cluster_.resync("namespaces");
  settle();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(ServiceAccountsControllerTest, SA07_AFailedCreationIsRepeatedAfter5And10Milliseconds) {
  cluster_.fail_next({.verb = Verb::kCreate, .times = 2});
  add_namespace("ns");
  EXPECT_EQ(*cluster_.next_due_in(), 5ms);
  cluster_.advance(5ms);
  EXPECT_EQ(*cluster_.next_due_in(), 10ms);
  cluster_.advance(10ms);
  EXPECT_THAT(requests(),
              ElementsAre("create serviceaccounts 500", "create serviceaccounts 500", kCreated));
}

TEST_F(ServiceAccountsControllerTest, SA08_ARefusalBecauseTheNamespaceTerminatesIsNotRepeated) {
  cluster_.fail_next({.verb = Verb::kCreate,
                      .http_status = 403,
                      .reason = "Forbidden",
                      .causes = {"NamespaceTerminating"}});
  add_namespace("ns");
  cluster_.advance(1h);
  EXPECT_THAT(requests(), ElementsAre("create serviceaccounts 403"));
}

TEST_F(ServiceAccountsControllerTest, SA09_AnyOtherRefusalIsRepeated) {
  cluster_.fail_next({.verb = Verb::kCreate, .http_status = 403, .reason = "Forbidden"});
  add_namespace("ns");
  cluster_.advance(5ms);
  EXPECT_THAT(requests(), ElementsAre("create serviceaccounts 403", kCreated));
}

TEST_F(ServiceAccountsControllerTest, SA10_ANamespaceThatIsRelabelledCausesNoWrite) {
  add_namespace("ns");
  cluster_.clear_records();
  for (int i = 0; i < 10; ++i) {
    cluster_.merge<Namespace>({{}, "ns"},
                              R"({"metadata":{"labels":{"i":")" + std::to_string(i) + R"("}}})");
    settle();
  }
  EXPECT_THAT(cluster_.syncs(), SizeIs(10));
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(ServiceAccountsControllerTest, AnAccountThatTheCacheLacksIsGood) {
  cluster_.hold("serviceaccounts");
  cluster_.add(R"({"apiVersion":"v1","kind":"ServiceAccount",
                   "metadata":{"name":"default","namespace":"ns"}})");
  settle();
  EXPECT_THAT(requests(), ElementsAre("create serviceaccounts 409"));
  EXPECT_TRUE(cluster_.syncs().back().ok());
}

}  // namespace
}  // namespace davit::serviceaccount

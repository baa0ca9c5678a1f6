/// The loop and its provider. Ids: docs/spec/cloud.md.
#include <stdexcept>

#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ProviderTest : public CloudFixture {};

TEST_F(ProviderTest, CLD001_WithoutAProviderTheLoopIsSkipped) {
  const Status started = cluster_.start(kLoop, &ServiceLbController::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(), "there is no cloud provider");
  add_service();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ProviderTest, CLD004_WithoutLoadBalancersTheLoopIsSkipped) {
  script.offers = false;
  ASSERT_TRUE(cluster_.start(kProvider, &make<ScriptedProvider>).ok());
  EXPECT_EQ(cluster_.start(kLoop, &ServiceLbController::open).code(), Code::kUnsupported);
}

TEST_F(ProviderTest, CLD005_AProviderWhoseInitFailsOffersNothing) {
  const Status started = cluster_.start(
      kProvider, [](Context&) -> InitResult { return Status(Code::kForbidden, "no credentials"); });
  EXPECT_THAT(started.message(), HasSubstr("no credentials"));
  EXPECT_EQ(cluster_.start(kLoop, &ServiceLbController::open).message(),
            "there is no cloud provider");
  add_service();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ProviderTest, CLD121_ASecondProviderDoesNotStart) {
  begin();
  const Status second = cluster_.start("second", &make<ScriptedProvider>);
  EXPECT_THAT(second.message(), HasSubstr("scripted provides the cloud already"));
}

TEST_F(ProviderTest, WhileTheProviderIsNotReadyServicesWaitWithoutAFailure) {
  begin();
  cluster_.stop(kProvider);
  add_service();
  cluster_.advance(10s);
  EXPECT_THAT(script.calls, IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
  ASSERT_TRUE(cluster_.start(kProvider, &make<ScriptedProvider>).ok());
  cluster_.advance(1s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
}

TEST_F(ProviderTest, ACallThatWasCutShortIsNoFailure) {
  begin();
  script.during = [this](const std::string&) { cluster_.stand_by(); };
  script.answers["ensure"] = {CloudReply::failed(Status(Code::kUnavailable, "cut")), kFails};
  add_service();
  EXPECT_THAT(cluster_.event_texts(), Each(Not(HasSubstr("Warning"))));
  clear();
  script.during = {};
  cluster_.lead();
  cluster_.advance(1s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("no quota")));
  clear();
  cluster_.advance(5s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2")) << "the first back-off";
}

TEST_F(ProviderTest, AProviderThatCancelsByItselfFails) {
  begin();
  script.answers["ensure"] = {CloudReply::failed(Status(Code::kCancelled, "it gave up"))};
  add_service();
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("it gave up")));
  clear();
  cluster_.advance(5s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2")) << "with back-off";
}

TEST_F(ProviderTest, AProviderThatGoesDuringASyncCausesNoFailure) {
  begin();
  bool is_gone = false;
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (is_gone || request.verb != Verb::kPatch || request.resource != "services") return;
    is_gone = true;
    cluster_.stop(kProvider);
  });
  add_service();
  EXPECT_TRUE(is_gone);
  cluster_.advance(10s);
  EXPECT_THAT(cluster_.event_texts(), Each(Not(HasSubstr("Warning"))));
  EXPECT_THAT(script.calls, IsEmpty());
  ASSERT_TRUE(cluster_.start(kProvider, &make<ScriptedProvider>).ok());
  cluster_.advance(1s);
  EXPECT_NE(ingress(), "");
}

TEST_F(ProviderTest, AProviderThatIsSwappedOnAStandbyServesLater) {
  add_node("n1");
  cluster_.stand_by();
  start();
  ASSERT_TRUE(cluster_.swap(kProvider, &make<ScriptedProvider>).ok());
  add_service();
  cluster_.lead();
  cluster_.advance(1s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1"));
}

TEST_F(ProviderTest, AnExceptionInAProviderIsAFailureThatIsTriedAgain) {
  begin();
  script.during = [](const std::string&) { throw std::runtime_error("a mistake"); };
  add_service();
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("a mistake")));
  script.during = {};
  cluster_.advance(5s);
  EXPECT_NE(ingress(), "");
}

TEST_F(ProviderTest, CLD057_ASwappedProviderServesWithItsNewBuild) {
  begin_with_service();
  ASSERT_TRUE(cluster_.swap(kProvider, &make<ScriptedProvider>).ok());
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
}

TEST_F(ProviderTest, ASwapOfTheLoopEnsuresEachServiceOnce) {
  begin_with_service();
  ASSERT_TRUE(cluster_.swap(kLoop, &ServiceLbController::open).ok());
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ProviderTest, CLD120_AProviderReadsWhatItsNoteDeclares) {
  begin();
  script.reads_undeclared = true;
  add_service();
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("read a field outside the projection")));
  EXPECT_THAT(cluster_.violations(), Contains(HasSubstr("spec.clusterIP")));
  EXPECT_EQ(ingress(), "");
  misbehaves_ = true;
}

TEST_F(ProviderTest, AStandbyCallsNothing) {
  add_node("n1");
  cluster_.stand_by();
  start();
  add_service();
  EXPECT_THAT(script.calls, IsEmpty());
  cluster_.lead();
  cluster_.advance(1s);
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1"));
}

TEST_F(ProviderTest, CLD123_AProviderMayHaveOneServiceLookedAt) {
  begin_with_service();
  change_node("n1", R"({"metadata":{"annotations":{"again":"default/s"}}})");
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2"));
  clear();
  change_node("n1", R"({"metadata":{"annotations":{"again":"default/none"}}})");
  EXPECT_THAT(script.calls, IsEmpty());
}

}  // namespace
}  // namespace davit::cloud

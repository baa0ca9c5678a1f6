/// The end of a namespace, and races about it: NS36 to NS41, and the start: NS42.
#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using FinalizeTest = NamespaceTest;

TEST_F(FinalizeTest, NS36_TheFinalizeFollowsTheConditionsWithoutAConflict) {
  start();
  delete_and_sync();
  EXPECT_THAT(texts("namespaces"),
              ElementsAre("get namespaces/x 200", "update namespaces/x/status 200",
                          "update namespaces/x/finalize 200"));
  EXPECT_FALSE(has_namespace());
}

TEST_F(FinalizeTest, TheFinalizeBodyHasNoStatusAndNoEmptyFinalizers) {
  start();
  delete_and_sync();
  const Json body = cluster().requests_of(Verb::kUpdate, "namespaces", "finalize").back().json();
  EXPECT_EQ(body.at({"spec"})->dump(), "{}");
  EXPECT_EQ(body.at({"status"})->dump(), "{}");
  EXPECT_EQ(body.text_at({"metadata", "name"}), "x");
}

TEST_F(FinalizeTest, NS37_OtherFinalizersOfTheSpecStayAndEmptyItAgain) {
  cluster().merge<Namespace>({"", "x"}, R"({"spec":{"finalizers":["other/o","kubernetes"]}})");
  start();
  delete_and_sync();
  EXPECT_EQ(ns().at({"spec", "finalizers"})->dump(), R"(["other/o"])");

  advance(30s);
  cluster().clear_records();
  cluster().merge<Namespace>({"", "x"}, R"({"metadata":{"labels":{"a":"b"}}})");
  advance(kDelay);
  EXPECT_EQ(count(Verb::kDeleteCollection, "configmaps"), 1U);
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "finalize"), 1U);
}

TEST_F(FinalizeTest, NS38_FinalizersOfTheMetadataAreNotTouched) {
  cluster().merge<Namespace>({"", "x"}, R"({"metadata":{"finalizers":["f.io/a"]}})");
  start();
  delete_and_sync();
  EXPECT_TRUE(has_namespace());
  const Json now = ns();
  const Json* const left = now.at({"spec", "finalizers"});
  EXPECT_TRUE(left == nullptr || left->items().empty());

  advance(5s);
  cluster().clear_records();
  cluster().merge<Namespace>({"", "x"}, R"({"metadata":{"labels":{"a":"b"}}})");
  advance(kDelay);
  EXPECT_THAT(texts(), ElementsAre("get namespaces/x 200")) << "its content is gone";
}

TEST_F(FinalizeTest, NS39_ANamespaceThatWasRecreatedIsLeftAlone) {
  start();
  delete_namespace();
  cluster().erase<Namespace>({"", "x"});
  create_namespace("x");
  add_config_map("c");
  advance(kDelay);
  EXPECT_THAT(texts(), ElementsAre("get namespaces/x 200"));
  EXPECT_TRUE(has_config_map("c"));
}

TEST_F(FinalizeTest, NS40_ANamespaceThatIsRecreatedDuringAConflictIsLeftAlone) {
  start();
  bool is_done = false;
  cluster().on_request([&](const testing::RequestRecord& request) {
    if (request.subresource != "finalize" || is_done) return;
    is_done = true;
    cluster().erase<Namespace>({"", "x"});
    create_namespace("x");
  });
  delete_and_sync();
  ASSERT_FALSE(cluster().syncs().empty());
  EXPECT_EQ(cluster().syncs().front().error, "namespace uid has changed across retries");
  ASSERT_TRUE(has_namespace());
  const Json now = ns();
  const Json* const left = now.at({"spec", "finalizers"});
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->dump(), R"(["kubernetes"])");
}

TEST_F(FinalizeTest, NS41_ANamespaceThatIsGoneAtTheEndIsASuccess) {
  start();
  cluster().fail_next({.verb = Verb::kUpdate,
                       .resource = "namespaces",
                       .subresource = "finalize",
                       .http_status = 404,
                       .reason = "NotFound"});
  delete_and_sync();
  EXPECT_TRUE(cluster().syncs().back().ok());
  EXPECT_EQ(cluster().syncs().back().again_ms, 0U);
}

TEST_F(FinalizeTest, NS42_AServerWithoutAnyResourceFailsTheStart) {
  const Status started = try_start_discovering([](Served& found) { found.kinds.clear(); });
  EXPECT_FALSE(started.ok());
  EXPECT_THAT(started.message(), HasSubstr("Unable to get any supported resources from server"));
}

TEST_F(FinalizeTest, NS43_PartialDiscoveryAtTheStartIsLoggedOnly) {
  const Status started =
      try_start_discovering([](Served& found) { found.failures = {"g/v1: down"}; });
  EXPECT_TRUE(started.ok()) << started.message();
  ASSERT_FALSE(cluster().log().empty());
  EXPECT_EQ(cluster().log().front().level, DAVIT_LOG_ERROR);
  EXPECT_EQ(cluster().log().front().fields.front().second,
            "unable to retrieve the complete list of server APIs: g/v1: down");
}

TEST_F(FinalizeTest, AServerThatConflictsForEverDoesNotHoldTheWorker) {
  start();
  cluster().fail_next({.verb = Verb::kUpdate,
                       .resource = "namespaces",
                       .subresource = "finalize",
                       .http_status = 409,
                       .reason = "Conflict",
                       .times = 1100});
  delete_and_sync();
  EXPECT_EQ(cluster().syncs().front().code, Code::kConflict);
  advance(60s);
  EXPECT_FALSE(has_namespace());
}

TEST_F(FinalizeTest, AForeignErrorOfTheFirstReadIsRetried) {
  start();
  cluster().fail_next({.verb = Verb::kGet, .resource = "namespaces", .message = "out of order"});
  delete_and_sync();
  EXPECT_THAT(cluster().syncs().front().error, HasSubstr("out of order"));
  advance(1s);
  EXPECT_FALSE(has_namespace());
}

}  // namespace
}  // namespace davit::namespaces

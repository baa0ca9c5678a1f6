/// Rows RQ01, RQ10 to RQ13, RQ45, RQ46 and RQ48 to RQ61: what is written, and when.
#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWrite = "update resourcequotas/q/status 200";

TEST_F(QuotaTest, RQ01_ANewQuotaGetsItsStatusAtOnce) {
  start();
  quota(R"({"pods":"5","services":"2","secrets":"3","resourcequotas":"1"})");
  EXPECT_EQ(hard(), "pods=5 resourcequotas=1 secrets=3 services=2");
  EXPECT_EQ(used(), "pods=0 resourcequotas=1 secrets=0 services=0");
  EXPECT_THAT(writes(), ElementsAre(kWrite)) << "its own write causes none";
}

TEST_F(QuotaTest, RQ10_ARaisedLimitFollowsAtOnce) {
  start();
  quota(R"({"pods":"5"})");
  quota(R"({"pods":"7"})");
  EXPECT_EQ(hard(), "pods=7");
}

TEST_F(QuotaTest, RQ11_ALimitThatGoesTakesItsUsageAlong) {
  start();
  quota(R"({"pods":"5","secrets":"3"})");
  quota(R"({"pods":"5"})");
  EXPECT_EQ(hard(), "pods=5");
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, RQ12_ANewLimitIsCountedAtOnce) {
  add("v1", "ConfigMap", "a");
  start();
  quota(R"({"pods":"5"})");
  quota(R"({"pods":"5","configmaps":"3"})");
  EXPECT_EQ(used(), "configmaps=1 pods=0");
}

TEST_F(QuotaTest, RQ13_AnotherNotationOfTheSameLimitIsNoChange) {
  start();
  quota(R"({"pods":"5","requests.memory":"1Gi"})");
  cluster_.clear_records();
  quota(R"({"pods":"5000m","requests.memory":"1073741824"})");
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
  EXPECT_EQ(hard(), "pods=5 requests.memory=1Gi");
}

TEST_F(QuotaTest, RQ45_EventsAreNeverCounted) {
  start();
  quota(R"({"count/events":"5"})");
  EXPECT_EQ(hard(), "count/events=5");
  EXPECT_THAT(used(), Not(HasSubstr("events")));
}

TEST_F(QuotaTest, RQ46_WhatTheServerDoesNotServeIsNotCounted) {
  start();
  quota(R"({"count/nothing.example.com":"1","pods":"1"})");
  EXPECT_EQ(hard(), "count/nothing.example.com=1 pods=1");
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, RQ48_AStatusWrittenByAnotherIsCorrectedByTheRecalculation) {
  start();
  quota(R"({"pods":"5"})");
  cluster_.merge<ResourceQuota>({"t", "q"}, R"({"status":{"used":{"pods":"4"}}})");
  run();
  EXPECT_EQ(used(), "pods=4");
  recalculate();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, RQ49_AnotherScopeSelectorCountsFromTheRecalculationOn) {
  cluster_.add(pod("a").spec("priorityClassName", R"("high")"));
  start();
  const auto of_class = [](const std::string& name) {
    return R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
           R"("operator":"In","values":[")" +
           name + "\"]}]}";
  };
  quota(R"({"pods":"5"})", of_class("high"));
  ASSERT_EQ(used(), "pods=1");
  quota(R"({"pods":"5"})", of_class("low"));
  EXPECT_EQ(used(), "pods=1");
  recalculate();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, RQ50_EveryQuotaOfTheNamespaceIsUpdated) {
  cluster_.add(pod("a"));
  start();
  quota(R"({"pods":"5"})", {}, "q1");
  quota(R"({"count/pods":"5"})", {}, "q2");
  ASSERT_EQ(used("q1") + " " + used("q2"), "pods=1 count/pods=1");
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  run();
  EXPECT_EQ(used("q1") + " " + used("q2"), "pods=0 count/pods=0");
}

TEST_F(QuotaTest, RQ51_AConflictIsRetried) {
  cluster_.add(pod("a"));
  start();
  quota(R"({"pods":"5"})");
  cluster_.clear_records();
  cluster_.fail_next({.verb = Verb::kUpdate,
                      .resource = "resourcequotas",
                      .http_status = 409,
                      .reason = "Conflict"});
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  cluster_.advance(1s);
  EXPECT_EQ(used(), "pods=0");
  EXPECT_THAT(writes(), ElementsAre("update resourcequotas/q/status 409", kWrite));
}

TEST_F(QuotaTest, RQ57_WithoutAPeriodOnlyChangesCount) {
  cluster_.add(pod("a"));
  start(R"({"resourceQuotaSyncPeriod":"0s"})");
  quota(R"({"pods":"5"})");
  cluster_.merge<ResourceQuota>({"t", "q"}, R"({"status":{"used":{"pods":"4"}}})");
  cluster_.advance(1h);
  EXPECT_EQ(used(), "pods=4");
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  run();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, RQ58_ARecalculationWithoutAChangeWritesNothing) {
  cluster_.add(pod_with("a", R"("memory":"1024Mi")"));
  start();
  quota(R"({"pods":"5","requests.memory":"2Gi"})");
  cluster_.clear_records();
  recalculate();
  EXPECT_THAT(cluster_.syncs(), Not(IsEmpty()));
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(QuotaTest, RQ59_AQuotaWithoutLimitsStaysAsItIs) {
  start(R"({"resourceQuotaSyncPeriod":"2s"})");
  add("v1", "ResourceQuota", "q", R"("spec":{})");
  cluster_.advance(2s);
  const std::string version = read().text_at({"metadata", "resourceVersion"});
  cluster_.advance(10s);
  EXPECT_EQ(read().text_at({"metadata", "resourceVersion"}), version);
}

TEST_F(QuotaTest, RQ60_ADeletedQuotaCausesNoRequest) {
  start();
  quota(R"({"pods":"5"})");
  cluster_.clear_records();
  ASSERT_TRUE(cluster_.erase<ResourceQuota>({"t", "q"}));
  recalculate();
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(QuotaTest, RQ61_ManyDeletionsAreOneCount) {
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) cluster_.add(pod("p" + std::to_string(i)));
  start();
  quota(R"({"pods":"500"})");
  ASSERT_EQ(used(), "pods=200");
  cluster_.clear_records();
  for (int i = 0; i < kMany; ++i) cluster_.erase<Pod>({"t", "p" + std::to_string(i)});
  run();
  EXPECT_EQ(used(), "pods=0");
  EXPECT_LE(writes().size(), 2U);
}

TEST_F(QuotaTest, AQuotaOfAnotherNamespaceIsNotCounted) {
  cluster_.add(pod("a").ns("default"));
  start();
  quota(R"({"pods":"5"})");
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, AFailedWriteIsRetried) {
  start();
  cluster_.fail_next({.verb = Verb::kUpdate, .resource = "resourcequotas", .times = 3});
  quota(R"({"pods":"5"})");
  cluster_.advance(1s);
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, AQuotaThatNoServerAcceptsHoldsNoOtherBack) {
  start();
  quota(R"({"pods":"5","services":"many"})");
  quota(R"("all")", {}, "wrong");
  quota(R"({"pods":"5"})", {}, "other");
  EXPECT_EQ(used("other"), "pods=0");
}

TEST_F(QuotaTest, AnUnknownConfigurationIsRefused) {
  for (const char* config : {R"({"period":"1s"})", R"({"resourceQuotaSyncPeriod":"soon"})",
                             R"({"resourceQuotaSyncPeriod":7})"}) {
    testing::Cluster fresh{{.note = note_text<resourcequota::declare>()}};
    EXPECT_FALSE(fresh.start(kController, &QuotaController::open, config).ok()) << config;
  }
}

TEST_F(QuotaTest, ASwapLosesNothing) {
  cluster_.add(pod("a"));
  start();
  quota(R"({"pods":"5"})");
  ASSERT_TRUE(cluster_.swap(kController, &QuotaController::open).ok());
  run();
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  run();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(QuotaTest, WhatTheNoteDeclaresIsUsed) {
  start();
  quota(R"({"pods":"5"})");
  EXPECT_THAT(cluster_.unused_declarations(), Not(Contains(HasSubstr("resourcequotas"))));
}

}  // namespace
}  // namespace davit::resourcequota

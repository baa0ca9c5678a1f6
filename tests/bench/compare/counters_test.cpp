#include "bench/compare/counters.hpp"

#include <gmock/gmock.h>

namespace davit::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr char kMetrics[] =
    "# TYPE apiserver_request_total counter\n"
    R"(apiserver_request_total{code="201",component="apiserver",dry_run="",group="",)"
    R"(resource="events",scope="resource",subresource="",verb="POST",version="v1"} 12)"
    "\n"
    R"(apiserver_request_total{code="409",dry_run="",group="",resource="events",)"
    R"(subresource="",verb="POST",version="v1"} 3)"
    "\n"
    R"(apiserver_request_total{code="200",group="apps",resource="deployments",)"
    R"(subresource="status",verb="PATCH"} 1.5e+03)"
    "\n"
    R"(apiserver_request_total{code="200",group="",resource="pods",subresource="",verb="WATCH"} 9)"
    "\n"
    R"(apiserver_request_total{code="200",resource="",subresource="/metrics",verb="GET"} 4)"
    "\n"
    R"(apiserver_request_total_of_others{resource="pods",verb="GET"} 8)"
    "\n";

TEST(CountersTest, RequestsAreCountedByVerbAndResourceOverAllCodes) {
  EXPECT_THAT(parse_requests(kMetrics),
              ElementsAre(Pair("PATCH deployments/status", 1500), Pair("POST events", 15)));
}

TEST(CountersTest, TextWithoutRequestsHasNone) {
  EXPECT_THAT(parse_requests(""), IsEmpty());
  EXPECT_THAT(parse_requests("apiserver_request_total"), IsEmpty());
  EXPECT_THAT(parse_requests("apiserver_request_total{verb=\"GET"), IsEmpty());
}

TEST(CountersTest, ADifferenceLeavesOutWhatDidNotChange) {
  const RequestCounts before = {{"GET pods", 5}, {"POST pods", 7}};
  const RequestCounts after = {{"DELETE pods", 1}, {"GET pods", 5}, {"POST pods", 9}};

  const RequestCounts more = difference(after, before);

  EXPECT_THAT(more, ElementsAre(Pair("DELETE pods", 1), Pair("POST pods", 2)));
  EXPECT_EQ(total(more), 3);
}

TEST(CountersTest, AMetricIsSummedWithAndWithoutLabels) {
  constexpr char kText[] =
      "# HELP requests_total Counted.\nrequests_total{code=\"200\"} 3\n"
      "requests_total{code=\"<error>\"} 2\nrequests_total_max 100\nrequests_total 4";

  EXPECT_EQ(sum_of_metric(kText, "requests_total"), 9);
  EXPECT_EQ(sum_of_metric(kText, "requests"), 0);
}

TEST(CountersTest, ContextSwitchesOfBothKindsAreAdded) {
  EXPECT_EQ(parse_switches("Name:\tdavit\nvoluntary_ctxt_switches:\t150\n"
                           "nonvoluntary_ctxt_switches:\t7\n"),
            157U);
  EXPECT_EQ(parse_switches(""), 0U);
}

TEST(CountersTest, PerfsCountIsReadAndItsAbsenceIsNotZero) {
  constexpr char kEvent[] = "raw_syscalls:sys_enter";
  EXPECT_EQ(
      parse_perf_stat("# started on Tue\n\n144,,raw_syscalls:sys_enter,774984,100.00,,\n", kEvent),
      144U);
  EXPECT_FALSE(parse_perf_stat("<not counted>,,raw_syscalls:sys_enter,0,100.00,,\n", kEvent));
  EXPECT_FALSE(parse_perf_stat("3,,context-switches,774984,100.00,,\n", kEvent));
  EXPECT_FALSE(parse_perf_stat("sh: 1: perf: not found\n", kEvent));
}

}  // namespace
}  // namespace davit::bench

/// Values that several autoscalers ask for (docs/spec/hpa.md, D12).
#include "plugins/podautoscaler/shared_values.hpp"

#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SharedMetricTest : public AutoscalerTest {
 protected:
  /// The autoscalers "web" and "other", which have one metric and targets of their own.
  void two_of(const std::string& metric, const std::string& metric_of_other) {
    target(3);
    target(3, "other", R"("app":"other")");
    pods(3);
    for (const char* each : {"o1", "o2", "o3"}) {
      pod(each, [](Json& object) { object["metadata"]["labels"]["app"] = "other"; });
    }
    autoscaler(metric);
    autoscaler(metric_of_other, "", "other", "other");
    start();
  }
  /// The requests for the external metric.
  [[nodiscard]] std::size_t reads() const { return cluster_.requests_of(Verb::kList, "q").size(); }
};

TEST_F(SharedMetricTest, EqualExternalMetricsAreAskedForOnceAPeriod) {
  external("q", {"20"});
  two_of(external_metric("value 10"), external_metric("value 5"));
  periods();
  EXPECT_EQ(reads(), 1U) << "D12";
  EXPECT_EQ(replicas(), 6);
  EXPECT_EQ(replicas("other"), 6) << "the limit of one sync";
  cluster_.clear_records();
  external("q", {"10"});
  periods();
  EXPECT_EQ(reads(), 1U) << "each period anew";
  EXPECT_THAT(current_metrics(), HasSubstr(R"("value":"10")"));
  EXPECT_THAT(current_metrics("other"), HasSubstr(R"("value":"10")"));
}

TEST_F(SharedMetricTest, EqualObjectMetricsAreAskedForOnceAPeriod) {
  serve_custom_metrics();
  object_hits("20");
  two_of(object_metric("value 10"), object_metric("value 10"));
  periods();
  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "services", "hits").size(), 1U) << "D12";
  EXPECT_EQ(replicas("other"), 6);
}

TEST_F(SharedMetricTest, OtherSelectorIsAnotherMetric) {
  external("q", {"20"});
  two_of(external_metric("value 10"),
         external_metric("value 10", R"({"matchLabels":{"env":"p"}})"));
  periods();
  EXPECT_EQ(reads(), 2U);
}

TEST_F(SharedMetricTest, FailureIsNotShared) {
  two_of(external_metric("value 10"), external_metric("value 10"));
  periods();
  EXPECT_EQ(reads(), 2U);
  EXPECT_THAT(condition("ScalingActive", "other"), StartsWith("False FailedGetExternalMetric"));
}

TEST(SharedValuesTest, ValueIsForOthersAndForLessThanAPeriod) {
  SharedValues values(2s);
  const Time now{1000s};
  values.put({"default/external/q", "a", now}, 7);
  EXPECT_EQ(values.find({"default/external/q", "b", now + 1999ms}), 7);
  EXPECT_EQ(values.find({"default/external/q", "b", now + 2s}), std::nullopt);
  EXPECT_EQ(values.find({"default/external/q", "a", now + 1s}), std::nullopt) << "its own";
  EXPECT_EQ(values.find({"other/external/q", "b", now}), std::nullopt);
  values.put({"default/external/r", "a", now + 3s}, 8);
  EXPECT_EQ(values.find({"default/external/q", "b", now}), std::nullopt) << "removed";
}

TEST(SharedValuesTest, WithoutAPeriodNothingIsShared) {
  SharedValues values(0s);
  values.put({"default/external/q", "a", Time{1s}}, 7);
  EXPECT_EQ(values.find({"default/external/q", "b", Time{1s}}), std::nullopt);
}

}  // namespace
}  // namespace davit::podautoscaler

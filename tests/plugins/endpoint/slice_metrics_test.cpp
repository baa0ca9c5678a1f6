/// The metrics of the EndpointSlice controller, under upstream's names.
#include "plugins/endpoint/slice_metrics.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using LabelValues = std::vector<std::string>;

class SliceMetricsTest : public SlicesTest {
 protected:
  /// The samples of a metric since the records were cleared, oldest first.
  [[nodiscard]] std::vector<double> samples(std::string_view name,
                                            const std::optional<LabelValues>& labels = {}) const {
    std::vector<double> out;
    for (const testing::MetricSample& each : cluster().metrics()) {
      if (each.name != "endpoint_slice_controller_" + std::string(name)) continue;
      if (!labels || each.labels == *labels) out.push_back(each.value);
    }
    return out;
  }
  /// The final value of a gauge; -1: none.
  [[nodiscard]] double gauge(std::string_view name,
                             const std::optional<LabelValues>& labels = {}) const {
    const std::vector<double> all = samples(name, labels);
    return all.empty() ? -1 : all.back();
  }
  /// The increase of a counter.
  [[nodiscard]] double count(std::string_view name, const LabelValues& labels) const {
    double out = 0;
    for (const double each : samples(name, labels)) out += each;
    return out;
  }
  [[nodiscard]] double services_with(const std::string& distribution) const {
    return gauge("services_count_by_traffic_distribution", LabelValues{distribution});
  }
  void fail_creates(int status, const std::string& reason) {
    cluster().fail_next({.verb = testing::Verb::kCreate,
                         .resource = "endpointslices",
                         .http_status = status,
                         .reason = reason});
  }
};

TEST_F(SliceMetricsTest, GaugesShowTheSumsOfAllServices) {
  add_pods(0, 150);
  add_service();
  add_service("{}", "other");
  start();

  EXPECT_EQ(gauge("endpoints_desired"), 300);
  EXPECT_EQ(gauge("num_endpoint_slices"), 4);
  EXPECT_EQ(gauge("desired_endpoint_slices"), 4);

  remove_service("other");
  run_until_idle();
  EXPECT_EQ(gauge("endpoints_desired"), 150);
  EXPECT_EQ(gauge("num_endpoint_slices"), 2);
  EXPECT_EQ(gauge("desired_endpoint_slices"), 2);

  remove_service();
  run_until_idle();
  EXPECT_EQ(gauge("endpoints_desired"), 0);
  EXPECT_EQ(gauge("num_endpoint_slices"), 0);
  EXPECT_EQ(gauge("desired_endpoint_slices"), 0);
}

TEST_F(SliceMetricsTest, AServiceWithoutPodsWantsOneSlice) {
  add_service();
  start();

  EXPECT_EQ(gauge("endpoints_desired"), 0);
  EXPECT_EQ(gauge("num_endpoint_slices"), 1);
  EXPECT_EQ(gauge("desired_endpoint_slices"), 1);
}

TEST_F(SliceMetricsTest, SlicesThatAreNotFullAreMoreThanWouldDo) {
  add_pods(0, 200);
  add_service();
  start();
  for (int i = 0; i < 120; ++i) erase_pod(numbered(static_cast<std::size_t>(i)));
  run_until_idle();

  EXPECT_EQ(gauge("endpoints_desired"), 80);
  EXPECT_EQ(gauge("desired_endpoint_slices"), 1);
  EXPECT_EQ(gauge("num_endpoint_slices"), static_cast<double>(slices().size()));
}

TEST_F(SliceMetricsTest, EachSyncCountsWhatCameAndWent) {
  add_pods(0, 3);
  add_service();
  start();
  EXPECT_EQ(count("endpoints_added_per_sync", {}), 3);
  EXPECT_EQ(count("endpoints_removed_per_sync", {}), 0);

  advance(kAWhile);
  clear_records();
  erase_pod(numbered(0));
  add_pods(7, 2);
  run_until_idle();
  EXPECT_EQ(count("endpoints_added_per_sync", {}), 2);
  EXPECT_EQ(count("endpoints_removed_per_sync", {}), 1);
}

TEST_F(SliceMetricsTest, WritesAreCountedByOperation) {
  add_pods(0, 150);
  add_service();
  start();
  EXPECT_EQ(count("changes", {"create"}), 2);
  EXPECT_EQ(count("changes", {"update"}) + count("changes", {"delete"}), 0);
  EXPECT_EQ(count("endpointslices_changed_per_sync", {"Disabled", ""}), 2);

  advance(kAWhile);
  clear_records();
  for (std::size_t i = 0; i < 120; ++i) erase_pod(numbered(i));
  run_until_idle();
  EXPECT_EQ(count("changes", {"create"}),
            static_cast<double>(count_writes(testing::Verb::kCreate)));
  EXPECT_EQ(count("changes", {"update"}),
            static_cast<double>(count_writes(testing::Verb::kUpdate)));
  EXPECT_EQ(count("changes", {"delete"}),
            static_cast<double>(count_writes(testing::Verb::kDelete)));
  EXPECT_GT(count("changes", {"update"}) + count("changes", {"delete"}), 0);
}

TEST_F(SliceMetricsTest, ASyncThatChangesNothingReportsIt) {
  add_service();
  start();
  advance(kAWhile);
  clear_records();
  touch_service();
  run_until_idle();

  EXPECT_EQ(samples("endpointslices_changed_per_sync"), std::vector<double>{0});
  EXPECT_EQ(count("syncs", {"success"}), 1);
}

TEST_F(SliceMetricsTest, ASyncThatFailsIsAnErrorAndNoSuccess) {
  add_service();
  fail_creates(500, "InternalError");
  start();

  EXPECT_EQ(count("syncs", {"error"}), 1);
  EXPECT_EQ(count("syncs", {"success"}), 0);
  EXPECT_EQ(samples("endpointslices_changed_per_sync"), std::vector<double>());
  EXPECT_EQ(count("changes", {"create"}), 0);

  advance(kAWhile);
  EXPECT_EQ(count("syncs", {"success"}), 1);
  EXPECT_EQ(count("changes", {"create"}), 1);
}

TEST_F(SliceMetricsTest, WhatANamespaceThatEndsRefusesIsNotAChange) {
  add_service();
  cluster().fail_next({.verb = testing::Verb::kCreate,
                       .resource = "endpointslices",
                       .http_status = 403,
                       .reason = "Forbidden",
                       .causes = {"NamespaceTerminating"}});
  start();

  EXPECT_EQ(count("syncs", {"success"}), 1);
  EXPECT_EQ(samples("endpointslices_changed_per_sync"), std::vector<double>());
}

TEST_F(SliceMetricsTest, ServicesAreCountedByTheirTrafficDistribution) {
  add_service(R"({"spec":{"trafficDistribution":"PreferClose"}})");
  add_service(R"({"spec":{"trafficDistribution":"PreferClose"}})", "other");
  add_service("{}", "plain");
  start();
  EXPECT_EQ(services_with("PreferClose"), 2);
  EXPECT_EQ(services_with(""), -1) << "those without one are not counted";

  edit_service(R"({"spec":{"trafficDistribution":"PreferSameNode"}})");
  run_until_idle();
  EXPECT_EQ(services_with("PreferClose"), 1);
  EXPECT_EQ(services_with("ImplementationSpecific"), 1) << "as upstream calls all others";

  remove_service("other");
  edit_service(R"({"spec":{"trafficDistribution":null}})");
  run_until_idle();
  EXPECT_EQ(services_with("PreferClose"), 0);
  EXPECT_EQ(services_with("ImplementationSpecific"), 0);
}

TEST_F(SliceMetricsTest, HintsByZoneAreTheTopologyOfASync) {
  add_service(R"({"metadata":{"annotations":{"service.kubernetes.io/topology-mode":"Auto"}},
                  "spec":{"trafficDistribution":"PreferClose"}})");
  start();

  EXPECT_EQ(samples("endpointslices_changed_per_sync", LabelValues{"Auto", ""}),
            std::vector<double>{1});
  EXPECT_EQ(services_with("PreferClose"), -1) << "the annotation is in force instead";
}

}  // namespace
}  // namespace davit::endpoint

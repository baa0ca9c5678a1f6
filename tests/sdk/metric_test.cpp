#include <gtest/gtest.h>

#include <cstddef>
#include <davit/context.hpp>
#include <string>

namespace davit {
namespace {

/// Stands for the call's own pointer: the labels of the series that the table was to delete.
thread_local std::string removed;

davit_metric_v1 table(std::size_t size) {
  davit_metric_v1 made{};
  made.size = static_cast<std::uint32_t>(size);
  made.remove = [](auto*, davit_handle, const davit_str* values, std::size_t count) -> davit_code {
    for (std::size_t i = 0; i < count; ++i) removed += std::string(from_c(values[i])) + ";";
    return DAVIT_OK;
  };
  return made;
}

TEST(MetricTest, RemoveDeletesTheSeriesOfItsLabels) {
  removed.clear();
  const davit_metric_v1 metrics = table(sizeof(davit_metric_v1));
  Api api;
  api.metric = &metrics;

  Metric(api, 1).remove({"web", "ok"});

  EXPECT_EQ(removed, "web;ok;");
}

TEST(MetricTest, HostOf10IsNotAskedToDeleteASeries) {
  removed.clear();
  const davit_metric_v1 metrics = table(offsetof(davit_metric_v1, remove));
  Api api;
  api.metric = &metrics;

  Metric(api, 1).remove({"web"});

  EXPECT_EQ(removed, "");
}

}  // namespace
}  // namespace davit

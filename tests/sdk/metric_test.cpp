#include <gtest/gtest.h>

#include <cstddef>
#include <davit/context.hpp>
#include <string>

namespace davit {
namespace {

/// Stands for the call's own pointer: the labels of the series that the table was to delete.
thread_local std::string removed;

davit_metric_v1 table() {
  davit_metric_v1 made{};
  made.size = sizeof(made);
  made.remove = [](auto*, davit_handle, const davit_str* values, std::size_t count) -> davit_code {
    for (std::size_t i = 0; i < count; ++i) removed += std::string(from_c(values[i])) + ";";
    return DAVIT_OK;
  };
  return made;
}

TEST(MetricTest, RemoveDeletesTheSeriesOfItsLabels) {
  removed.clear();
  const davit_metric_v1 metrics = table();
  Api api;
  api.metric = &metrics;

  Metric(api, 1).remove({"web", "ok"});

  EXPECT_EQ(removed, "web;ok;");
}

}  // namespace
}  // namespace davit

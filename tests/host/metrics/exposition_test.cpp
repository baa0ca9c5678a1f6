#include "host/metrics/exposition.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace davit::host {
namespace {

struct NumberCase {
  double value;
  const char* text;
};

// As Go's strconv.FormatFloat(v, 'g', -1, 64) writes them.
const NumberCase kNumbers[] = {
    {0, "0"},
    {1, "1"},
    {-3.5, "-3.5"},
    {0.025, "0.025"},
    {0.001, "0.001"},
    {0.0001, "0.0001"},
    {1e-08, "1e-08"},
    {9.999999999999999e-05, "9.999999999999999e-05"},
    {262144, "262144"},
    {604800, "604800"},
    {1048576, "1.048576e+06"},
    {16777216, "1.6777216e+07"},
    {1e21, "1e+21"},
    {18446744073709551615.0, "1.8446744073709552e+19"},
    {std::numeric_limits<double>::infinity(), "+Inf"},
    {-std::numeric_limits<double>::infinity(), "-Inf"},
    {std::numeric_limits<double>::quiet_NaN(), "NaN"},
};

TEST(ExpositionTest, NumbersAreSpelledAsGoDoes) {
  for (const NumberCase& each : kNumbers) EXPECT_EQ(number_text(each.value), each.text);
}

TEST(ExpositionTest, FamiliesAndSeriesAreSortedAndEscaped) {
  prometheus::MetricFamily b{"b_total", "Two\nlines \\ here.", prometheus::MetricType::Counter, {}};
  b.metric.resize(2);
  b.metric[0].label = {{"name", "z"}};
  b.metric[0].counter.value = 2;
  b.metric[1].label = {{"name", "a\"\\\n"}};
  b.metric[1].counter.value = 1;
  prometheus::MetricFamily a{"a", "One.", prometheus::MetricType::Gauge, {}};
  a.metric.resize(1);
  a.metric[0].gauge.value = 0.5;
  const prometheus::MetricFamily none{"none", "No series.", prometheus::MetricType::Gauge, {}};

  EXPECT_EQ(exposition({b, none, a}),
            "# HELP a One.\n# TYPE a gauge\na 0.5\n"
            "# HELP b_total Two\\nlines \\\\ here.\n# TYPE b_total counter\n"
            "b_total{name=\"a\\\"\\\\\\n\"} 1\nb_total{name=\"z\"} 2\n");
}

TEST(ExpositionTest, HistogramEndsWithInfinitySumAndCount) {
  prometheus::MetricFamily family{"h", "H.", prometheus::MetricType::Histogram, {}};
  family.metric.resize(1);
  family.metric[0].histogram.sample_count = 3;
  family.metric[0].histogram.sample_sum = 7.5;
  family.metric[0].histogram.bucket = {{1, 0.5}, {2, 1048576}};

  EXPECT_EQ(exposition({family}),
            "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"0.5\"} 1\n"
            "h_bucket{le=\"1.048576e+06\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 7.5\nh_count 3\n");
}

}  // namespace
}  // namespace davit::host

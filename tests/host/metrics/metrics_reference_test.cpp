#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "host/metrics/metrics.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

std::vector<MetricDefinition> all_metrics() {
  test::FakeClock clock;
  return Metrics::make({}, clock)->definitions();
}

std::string read(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string row(const MetricDefinition& metric) {
  const char* const type = metric.type == MetricType::kCounter ? "counter"
                           : metric.type == MetricType::kGauge ? "gauge"
                                                               : "histogram";
  std::string labels;
  for (const std::string& each : metric.labels)
    labels += (labels.empty() ? "`" : ", `") + each + "`";
  std::string help = metric.help;
  std::string level;
  if (help.starts_with('[')) {
    level = help.substr(1, help.find(']') - 1);
    help = help.substr(level.size() + 3);
  }
  return "| `" + metric.name + "` | " + type + " | " + level + " | " + labels + " | " + help +
         " |\n";
}

/// The table in docs/METRICS.md.
std::string reference() {
  std::string text = "| metric | type | stability | labels | meaning |\n|---|---|---|---|---|\n";
  for (const MetricDefinition& each : all_metrics()) text += row(each);
  return text;
}

TEST(MetricsReferenceTest, ThePageIsTheCodesDefinitions) {
  const std::string page = read(DAVIT_SOURCE "/docs/METRICS.md");
  const std::string expected = reference();
  const std::string begin = "<!-- metrics -->\n";
  const std::size_t from = page.find(begin) + begin.size();
  const std::string actual = page.substr(from, page.find("<!-- end -->") - from);
  if (actual == expected) return;
  const std::string made = testing::TempDir() + "metrics-table.md";
  std::ofstream(made) << expected;
  FAIL() << "the table in docs/METRICS.md is not that of the code; put " << made
         << " between its marks";
}

/// Words that PromQL and Grafana use in a query beside metrics.
bool is_metric(const std::string& word) {
  for (const char* prefix : {"davit_", "workqueue_", "rest_client_", "leader_election_", "process_",
                             "kubernetes_", "go_", "informer_", "running_managed_", "apiserver_",
                             "authentication_", "authenticated_", "authorization_"}) {
    if (word.starts_with(prefix)) return true;
  }
  return false;
}

/// The metrics that a text names. Suffixes of histograms count as the histogram.
std::set<std::string> named(const std::string& text) {
  std::set<std::string> names;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      if (word.ends_with(suffix)) word.resize(word.size() - std::string(suffix).size());
    }
    // A family such as "workqueue_*" in a text for people ends with an underscore.
    if (is_metric(word) && !word.ends_with('_')) names.insert(word);
    word.clear();
  }
  return names;
}

TEST(AlertsTest, EachHasARunbookAndATestInWhichItFires) {
  const std::string rules = read(DAVIT_SOURCE "/packaging/prometheus/davit.rules.yaml");
  const std::string tests = read(DAVIT_SOURCE "/packaging/prometheus/davit.rules_test.yaml");
  const std::string page = read(DAVIT_SOURCE "/docs/OPERATE.md");
  const std::string mark = "  - alert: ";
  std::size_t count = 0;
  for (std::size_t at = rules.find(mark); at != std::string::npos; ++count) {
    const std::size_t next = rules.find(mark, at + 1);
    const std::string rule = rules.substr(at, next - at);
    const std::string name = rule.substr(mark.size(), rule.find('\n') - mark.size());
    std::string anchor = name;
    for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_NE(rule.find("runbook_url: https://davit.dev/docs/OPERATE.md#" + anchor + "\n"),
              std::string::npos)
        << name;
    EXPECT_NE(page.find("\n### " + name + "\n"), std::string::npos) << name;
    EXPECT_NE(tests.find("'{alertname=\"" + name + "\"}', value: 1"), std::string::npos) << name;
    at = next;
  }
  EXPECT_GT(count, 10U) << "the test does not find the alerts";
}

struct UseCase {
  const char* name;
  const char* file;
};
class MetricUseTest : public testing::TestWithParam<UseCase> {};

TEST_P(MetricUseTest, EachMetricThatIsQueriedExists) {
  std::set<std::string> known;
  for (const MetricDefinition& each : all_metrics()) known.insert(each.name);
  const std::set<std::string> queried =
      named(read(std::string(DAVIT_SOURCE) + "/" + GetParam().file));

  EXPECT_GT(queried.size(), 3U) << "the test does not find the queries";
  for (const std::string& each : queried) {
    EXPECT_TRUE(known.contains(each)) << GetParam().file << " uses " << each;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, MetricUseTest,
    testing::Values(UseCase{"PrometheusRules", "packaging/prometheus/davit.rules.yaml"},
                    UseCase{"GrafanaDashboard", "packaging/grafana/davit.json"},
                    // The queries of kubernetes-mixin's dashboard and alerts.
                    UseCase{"KubernetesMixin", "tests/host/metrics/kubernetes_mixin.promql"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit::host

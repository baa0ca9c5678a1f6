#include "host/metrics/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class MetricsTest : public testing::Test {
 protected:
  Result<std::unique_ptr<PluginMetric>> open(const MetricOptions& options,
                                             const MetricOwner& owner = {"web"}) {
    return metrics_->open_plugin_metric(options, owner);
  }
  Status record(PluginMetric& metric, double value, std::vector<std::string_view> labels) {
    return metric.record(value, labels);
  }

  test::FakeClock clock_;
  std::unique_ptr<Metrics> metrics_ = Metrics::make({.git_version = "v1.30.1"}, clock_);
};

TEST_F(MetricsTest, QueueHasUpstreamsSeries) {  // RT-140
  QueueMetrics& queue = metrics_->queue_metrics("deployment");
  queue.added();
  queue.added();
  queue.taken(milliseconds(20));
  queue.done(seconds(2));
  queue.retried();
  metrics_->queue_running("deployment", {seconds(3), seconds(2)});

  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("# HELP workqueue_depth [BETA] Current depth of workqueue\n"
                              "# TYPE workqueue_depth gauge\n"
                              "workqueue_depth{name=\"deployment\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_adds_total{name=\"deployment\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_retries_total{name=\"deployment\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_unfinished_work_seconds{name=\"deployment\"} 3\n"));
  EXPECT_THAT(text,
              HasSubstr("\nworkqueue_longest_running_processor_seconds{name=\"deployment\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("\nworkqueue_queue_duration_seconds_sum{name=\"deployment\"} 0.02\n"));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_work_duration_seconds_count{name=\"deployment\"} 1\n"));
}

TEST_F(MetricsTest, QueueBucketsAreSpelledAsUpstreams) {  // RT-140
  metrics_->queue_metrics("deployment");
  const std::string text = metrics_->text();

  for (const char* bound : {"1e-08", "1e-07", "1e-06", "9.999999999999999e-06",
                            "9.999999999999999e-05", "0.001", "0.01", "0.1", "1", "10", "+Inf"}) {
    for (const char* name :
         {"workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"}) {
      EXPECT_THAT(text, HasSubstr("\n" + std::string(name) + "_bucket{name=\"deployment\",le=\"" +
                                  bound + "\"} 0\n"));
    }
  }
}

TEST_F(MetricsTest, QueuesOfOneNameShareTheirSeries) {
  metrics_->queue_metrics("a").added();
  metrics_->queue_metrics("a").added();

  EXPECT_THAT(metrics_->text(), HasSubstr("workqueue_adds_total{name=\"a\"} 2\n"));
}

TEST_F(MetricsTest, RequestsHaveUpstreamsSeries) {  // RT-140
  metrics_->request_done("200", "GET", "127.0.0.1:6443");
  metrics_->request_done("<error>", "GET", "127.0.0.1:6443");
  metrics_->request_retried("429", "POST", "127.0.0.1:6443");
  metrics_->request_duration("GET", "127.0.0.1:6443", milliseconds(30));
  metrics_->limiter_duration("GET", "127.0.0.1:6443", milliseconds(1));
  metrics_->request_size("POST", "127.0.0.1:6443", 300);
  metrics_->response_size("POST", "127.0.0.1:6443", 2000000);

  const std::string text = metrics_->text();

  for (const char* line : {
           "rest_client_requests_total{code=\"200\",host=\"127.0.0.1:6443\",method=\"GET\"} 1",
           "rest_client_requests_total{code=\"<error>\",host=\"127.0.0.1:6443\",method=\"GET\"} 1",
           "rest_client_request_retries_total{code=\"429\",host=\"127.0.0.1:6443\",verb=\"POST\"} "
           "1",
           "rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:6443\",verb=\"GET\","
           "le=\"0.025\"} 0",
           "rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:6443\",verb=\"GET\","
           "le=\"0.1\"} 1",
           "rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:6443\",verb=\"GET\","
           "le=\"60\"} 1",
           "rest_client_rate_limiter_duration_seconds_bucket{host=\"127.0.0.1:6443\",verb=\"GET\","
           "le=\"0.005\"} 1",
           "rest_client_request_size_bytes_bucket{host=\"127.0.0.1:6443\",verb=\"POST\","
           "le=\"512\"} 1",
           "rest_client_response_size_bytes_bucket{host=\"127.0.0.1:6443\",verb=\"POST\","
           "le=\"1.048576e+06\"} 0",
           "rest_client_response_size_bytes_bucket{host=\"127.0.0.1:6443\",verb=\"POST\","
           "le=\"4.194304e+06\"} 1",
           "rest_client_exec_plugin_ttl_seconds +Inf",
       }) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  }
}

TEST_F(MetricsTest, CredentialsThatEndHaveATimeToLive) {
  metrics_->exec_plugin_expires(clock_.wall_now() + seconds(90));
  clock_.advance(seconds(30));

  EXPECT_THAT(metrics_->text(), HasSubstr("\nrest_client_exec_plugin_ttl_seconds 60\n"));
}

TEST_F(MetricsTest, LeadershipIsAGauge) {  // HO-100
  using Role = LeaderElectionMetrics::Role;
  metrics_->leader_election_role("davit", Role::kStandby);
  EXPECT_THAT(metrics_->text(), HasSubstr("leader_election_master_status{name=\"davit\"} 0\n"));

  metrics_->leader_election_role("davit", Role::kLeader);
  metrics_->leader_election_slow_path("davit");

  EXPECT_THAT(metrics_->text(), HasSubstr("leader_election_master_status{name=\"davit\"} 1\n"));
  EXPECT_THAT(metrics_->text(), HasSubstr("leader_election_slowpath_total{name=\"davit\"} 1\n"));
}

TEST_F(MetricsTest, ControllersAndInformersHaveTheirSeries) {
  metrics_->controller_running("deployment-controller", RunnerMetrics::Running::kYes);
  metrics_->overdue_syncs("deployment-controller", 2);
  const auto informer = metrics_->informer({"apps", "v1", "replicasets"});
  informer->store_version(1'234'567'890'123'456'789U);
  informer->processed(milliseconds(4));
  informer->objects(7);
  informer->skipped("too_deep");
  informer->skipped_now(3);
  metrics_->informer_freshness({"apps", "v1", "replicasets"}, seconds(130), Metrics::Stale::kYes);

  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("running_managed_controllers{manager=\"davit\","
                              "name=\"deployment-controller\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("davit_controller_overdue_syncs{controller=\"deployment-controller\"}"
                              " 2\n"));
  const std::string labels =
      "{group=\"apps\",name=\"davit\",resource=\"replicasets\",version=\"v1\"";
  EXPECT_THAT(text,
              HasSubstr("informer_store_resource_version" + labels + "} 5.67890123456789e+14\n"));
  EXPECT_THAT(text, HasSubstr("informer_processing_latency_seconds_bucket" + labels +
                              ",le=\"0.005\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("davit_informer_objects" + labels + "} 7\n"));
  EXPECT_THAT(text, HasSubstr("davit_informer_skipped_objects" + labels + "} 3\n"));
  EXPECT_THAT(text, HasSubstr("davit_informer_unconfirmed_seconds" + labels + "} 130\n"));
  EXPECT_THAT(text, HasSubstr("davit_informer_stale" + labels + "} 1\n"));
  EXPECT_THAT(text, HasSubstr("davit_informer_skipped_objects_total{group=\"apps\","
                              "name=\"davit\",reason=\"too_deep\",resource=\"replicasets\","
                              "version=\"v1\"} 1\n"));
}

TEST_F(MetricsTest, ProcessAndBuildAreDescribed) {  // HO-100
  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("git_version=\"v1.30.1\",go_version=\"\",major=\"1\",minor=\"30\","
                              "platform=\"linux/amd64\"} 1\n"));
  for (const char* name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_virtual_memory_max_bytes", "process_open_fds",
        "process_max_fds", "process_start_time_seconds", "process_network_receive_bytes_total",
        "process_network_transmit_bytes_total", "go_goroutines"}) {
    EXPECT_THAT(text, HasSubstr("\n# TYPE " + std::string(name) + " "));
  }
  EXPECT_THAT(text, Not(HasSubstr("\nprocess_resident_memory_bytes 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("\nprocess_open_fds 0\n")));
}

TEST_F(MetricsTest, ServersVersionCanComeLater) {
  metrics_->set_build_info({.git_version = "v1.31.0"});

  EXPECT_THAT(metrics_->text(), HasSubstr("git_version=\"v1.31.0\""));
}

TEST_F(MetricsTest, VersionOfDavitIsThatOfTheProgramWhateverTheServerIs) {
  metrics_->set_build_info(
      {.git_version = "v1.31.0", .compiler = "gcc 12", .platform = "linux/s390x"});

  EXPECT_THAT(metrics_->text(), HasSubstr("\ndavit_build_info{compiler=\"gcc 12\",platform=\"linux/"
                                          "s390x\",version=\"" +
                                          std::string(kVersion) + "\"} 1\n"));
}

TEST_F(MetricsTest, GaugesAreRefreshedBeforeAScrape) {
  metrics_->before_scrape([this] { metrics_->overdue_syncs("a", 5); });

  EXPECT_THAT(metrics_->text(), HasSubstr("davit_controller_overdue_syncs{controller=\"a\"} 5\n"));
}

TEST_F(MetricsTest, PluginMetricsAreExposed) {
  MetricOptions counter{MetricType::kCounter, "web_syncs_total", "Syncs.", {"result"}, {}};
  MetricOptions gauge{MetricType::kGauge, "web_pods", "Pods.", {}, {}};
  MetricOptions histogram{MetricType::kHistogram, "web_age", "Age.", {}, {0.5, 2}};
  const auto syncs = open(counter);
  const auto pods = open(gauge);
  const auto age = open(histogram);
  ASSERT_TRUE(syncs && pods && age);

  EXPECT_TRUE(record(**syncs, 2, {"ok"}).ok());
  EXPECT_TRUE(record(**pods, 7, {}).ok());
  EXPECT_TRUE(record(**pods, 5, {}).ok());
  EXPECT_TRUE(record(**age, 1, {}).ok());

  const std::string text = metrics_->text();
  EXPECT_THAT(text, HasSubstr("# HELP web_syncs_total Syncs.\n"));
  EXPECT_THAT(text, HasSubstr("web_syncs_total{result=\"ok\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("web_pods 5\n"));
  EXPECT_THAT(text, HasSubstr("web_age_bucket{le=\"0.5\"} 0\nweb_age_bucket{le=\"2\"} 1\n"));
}

TEST_F(MetricsTest, APluginMetricWithoutLabelsIsThereFromTheStart) {
  const MetricOptions options[] = {{MetricType::kCounter, "web_syncs_total", "Syncs.", {}, {}},
                                   {MetricType::kGauge, "web_pods", "Pods.", {}, {}},
                                   {MetricType::kHistogram, "web_age", "Age.", {}, {0.5, 2}},
                                   {MetricType::kCounter, "web_by_zone", "Zones.", {"zone"}, {}}};
  std::vector<std::unique_ptr<PluginMetric>> opened;
  for (const MetricOptions& each : options) opened.push_back(std::move(*open(each)));

  const std::string text = metrics_->text();
  EXPECT_THAT(text, HasSubstr("\nweb_syncs_total 0\n"));
  EXPECT_THAT(text, HasSubstr("\nweb_pods 0\n"));
  EXPECT_THAT(text, HasSubstr("\nweb_age_bucket{le=\"2\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("\nweb_age_count 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nweb_by_zone")));
}

TEST_F(MetricsTest, WrongUseOfAPluginMetricIsRefused) {
  const auto syncs = open({MetricType::kCounter, "web_syncs_total", "Syncs.", {"result"}, {}});
  ASSERT_TRUE(syncs);

  EXPECT_EQ(record(**syncs, 1, {}).code(), Code::kInvalid);
  EXPECT_EQ(record(**syncs, -1, {"ok"}).code(), Code::kInvalid);
}

TEST_F(MetricsTest, SameMetricMayBeOpenedAgainButNotADifferentOne) {
  const MetricOptions options{MetricType::kCounter, "web_syncs_total", "Syncs.", {"result"}, {}};
  const auto first = open(options);
  ASSERT_TRUE(first);

  const auto second = open(options);
  ASSERT_TRUE(second);
  EXPECT_TRUE(record(**first, 1, {"ok"}).ok());
  EXPECT_TRUE(record(**second, 1, {"ok"}).ok());
  EXPECT_THAT(metrics_->text(), HasSubstr("web_syncs_total{result=\"ok\"} 2\n"));
  MetricOptions other = options;
  other.labels = {"code"};
  EXPECT_EQ(open(other).error().code(), Code::kAlreadyExists);
  other = options;
  other.name = "workqueue_depth";
  EXPECT_EQ(open(other).error().code(), Code::kAlreadyExists);
}

constexpr MetricOwner::Visibility kHidden = MetricOwner::Visibility::kHidden;

TEST_F(MetricsTest, NextGenerationsDefinitionIsShownOnceItServes) {
  auto old = open({MetricType::kCounter, "web_total", "Old.", {"result"}, {}}, {"web", 1});
  auto next = open({MetricType::kHistogram, "web_total", "New.", {"zone"}, {1, 5}}, {"web", 2});
  ASSERT_TRUE(old && next);
  EXPECT_TRUE(record(**old, 3, {"ok"}).ok());
  EXPECT_TRUE(record(**next, 2, {"a"}).ok());

  // Its lines are the last; those of the process above change by themselves.
  const auto shown = [this] {
    const std::string text = metrics_->text();
    return text.substr(std::min(text.find("# HELP web_total"), text.size()));
  };
  std::string text = shown();
  EXPECT_THAT(text, HasSubstr("# HELP web_total Old.\n# TYPE web_total counter\n"));
  EXPECT_THAT(text, HasSubstr("web_total{result=\"ok\"} 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("zone")));

  (*next)->serve();
  EXPECT_TRUE(record(**old, 1, {"late"}).ok()) << "without effect";

  text = shown();
  EXPECT_THAT(text, HasSubstr("# HELP web_total New.\n# TYPE web_total histogram\n"));
  EXPECT_THAT(text, HasSubstr("web_total_bucket{zone=\"a\",le=\"5\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("result")));
  old->reset();
  EXPECT_EQ(shown(), text);
}

TEST_F(MetricsTest, CounterContinuesWhereItsDefinitionIsUnchanged) {
  auto old = open({MetricType::kCounter, "web_total", "Old.", {"result"}, {}}, {"web", 1});
  ASSERT_TRUE(old);
  EXPECT_TRUE(record(**old, 3, {"ok"}).ok());

  auto next = open({MetricType::kCounter, "web_total", "New.", {"result"}, {}}, {"web", 2});
  ASSERT_TRUE(next);
  (*next)->serve();
  old->reset();
  EXPECT_TRUE(record(**next, 1, {"ok"}).ok());

  EXPECT_THAT(metrics_->text(), HasSubstr("# HELP web_total New.\n# TYPE web_total counter\n"
                                          "web_total{result=\"ok\"} 4\n"));
}

TEST_F(MetricsTest, GenerationThatNeverServedLeavesTheOldDefinition) {
  auto old = open({MetricType::kGauge, "web_pods", "Old.", {}, {}}, {"web", 1});
  auto next = open({MetricType::kGauge, "web_pods", "New.", {"zone"}, {}}, {"web", 2});
  auto other = open({MetricType::kGauge, "web_only_new", "New.", {}, {}}, {"web", 2});
  ASSERT_TRUE(old && next && other);
  EXPECT_TRUE(record(**old, 7, {}).ok());

  next->reset();
  other->reset();

  EXPECT_THAT(metrics_->text(),
              HasSubstr("# HELP web_pods Old.\n# TYPE web_pods gauge\nweb_pods 7"));
  EXPECT_THAT(metrics_->text(), Not(HasSubstr("web_only_new"))) << "nobody has it open";
}

TEST_F(MetricsTest, NewestDefinitionIsShownWhenTheServingOneIsClosed) {
  auto old = open({MetricType::kGauge, "web_pods", "Old.", {}, {}}, {"web", 1});
  auto next = open({MetricType::kGauge, "web_pods", "New.", {"zone"}, {}}, {"web", 2});
  ASSERT_TRUE(old && next);
  EXPECT_TRUE(record(**next, 7, {"a"}).ok());

  old->reset();

  EXPECT_THAT(metrics_->text(), HasSubstr("web_pods{zone=\"a\"} 7\n"));
}

TEST_F(MetricsTest, ShadowsMetricIsNeverShown) {
  auto shadow = open({MetricType::kGauge, "web_pods", "Shadow.", {}, {}}, {"web", 2, kHidden});
  ASSERT_TRUE(shadow);

  (*shadow)->serve();

  EXPECT_THAT(metrics_->text(), Not(HasSubstr("web_pods")));
}

TEST_F(MetricsTest, OtherPluginMayNotRedefineAMetric) {
  auto web = open({MetricType::kGauge, "web_pods", "Pods.", {}, {}}, {"web", 1});
  ASSERT_TRUE(web);

  EXPECT_EQ(
      open({MetricType::kGauge, "web_pods", "Pods.", {"zone"}, {}}, {"shop", 2}).error().code(),
      Code::kAlreadyExists);
  EXPECT_TRUE(open({MetricType::kGauge, "web_pods", "Pods.", {}, {}}, {"shop", 2}));
}

TEST_F(MetricsTest, DeletedSeriesIsGoneAndStartsAtZero) {
  auto pods = open({MetricType::kCounter, "web_total", "Pods.", {"node"}, {}});
  ASSERT_TRUE(pods);
  const std::string_view node[] = {"n1"};
  EXPECT_EQ((*pods)->remove(node).code(), Code::kNotFound);
  EXPECT_EQ((*pods)->remove({}).code(), Code::kInvalid);
  EXPECT_TRUE(record(**pods, 7, {"n1"}).ok());
  EXPECT_TRUE(record(**pods, 5, {"n2"}).ok());

  EXPECT_TRUE((*pods)->remove(node).ok());

  EXPECT_THAT(metrics_->text(), Not(HasSubstr("n1")));
  EXPECT_THAT(metrics_->text(), HasSubstr("web_total{node=\"n2\"} 5\n"));
  EXPECT_TRUE(record(**pods, 1, {"n1"}).ok());
  EXPECT_THAT(metrics_->text(), HasSubstr("web_total{node=\"n1\"} 1\n"));
}

TEST_F(MetricsTest, DeletedSeriesMakeRoomForOthers) {
  auto pods = open({MetricType::kGauge, "web_pods", "Pods.", {"name"}, {}});
  ASSERT_TRUE(pods);
  constexpr int kSeries = 10000;
  for (int i = 0; i < kSeries; ++i) ASSERT_TRUE(record(**pods, 1, {std::to_string(i)}).ok());
  EXPECT_EQ(record(**pods, 1, {"more"}).code(), Code::kUnavailable);
  const std::string_view first[] = {"0"};

  EXPECT_TRUE((*pods)->remove(first).ok());

  EXPECT_TRUE(record(**pods, 1, {"more"}).ok());
}

TEST_F(MetricsTest, MalformedPluginMetricIsRefused) {
  const MetricOptions malformed[] = {
      {MetricType::kCounter, "9web", "", {}, {}},
      {MetricType::kCounter, "", "", {}, {}},
      {MetricType::kCounter, "web", "", {"a-b"}, {}},
      {MetricType::kCounter, "web", "", {"__a"}, {}},
      {MetricType::kCounter, "web", "", {"a", "a"}, {}},
      {MetricType::kCounter, "web", "", {}, {1}},
      {MetricType::kHistogram, "web", "", {}, {}},
      {MetricType::kHistogram, "web", "", {}, {2, 1}},
      {MetricType::kHistogram, "web", "", {"le"}, {1}},
  };

  for (const MetricOptions& options : malformed) {
    EXPECT_EQ(open(options).error().code(), Code::kInvalid);
  }
}

TEST_F(MetricsTest, CountersWithoutLabelsAreThereFromTheStart) {
  const std::string text = metrics_->text();

  for (const char* line :
       {"disabled_metrics_total 0", "hidden_metrics_total 0", "davit_plugin_resident_generations 0",
        "cardinality_enforcement_unexpected_categorizations_total 0",
        "davit_tracing_spans_exported_total 0", "rest_client_transport_cache_entries 0",
        "rest_client_transport_cert_rotation_gc_calls_total 0",
        "rest_client_exec_plugin_certificate_rotation_age_count 0",
        "rest_client_exec_plugin_certificate_rotation_age_bucket{le=\"1.24416e+08\"} 0"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  }
}

TEST_F(MetricsTest, TheRegisteredMetricsAreCountedByStability) {
  std::map<std::string, int> counted;
  for (const MetricDefinition& each : metrics_->definitions()) {
    if (each.help.starts_with('[')) ++counted[each.help.substr(1, each.help.find(']') - 1)];
  }
  const std::string text = metrics_->text();

  for (const auto& [level, count] : counted) {
    EXPECT_THAT(text, HasSubstr("\nregistered_metrics_total{deprecated_version=\"\","
                                "stability_level=\"" +
                                level + "\"} " + std::to_string(count) + "\n"));
  }
  EXPECT_EQ(counted.size(), 3U);
}

TEST_F(MetricsTest, EveryMetricOfTheHostSaysHowStableItIs) {
  for (const MetricDefinition& each : metrics_->definitions()) {
    // client_golang's, which have no level upstream either.
    if (each.name.starts_with("process_") || each.name.starts_with("go_")) continue;
    EXPECT_TRUE(each.help.starts_with("[ALPHA] ") || each.help.starts_with("[BETA] ") ||
                each.help.starts_with("[STABLE] "))
        << each.name;
  }
}

TEST_F(MetricsTest, TheVersionIsShownAsUpstreamsComponentsShowTheirs) {
  metrics_->set_build_info({.git_version = "v1.36.2"});

  EXPECT_THAT(metrics_->text(), HasSubstr("\nversion_info{binary=\"1.36.2\",component=\"kube\","
                                          "emulation=\"1.36\",min_compat=\"1.35\"} 1\n"));
}

TEST_F(MetricsTest, FeaturesAreShownWithTheirStage) {
  metrics_->feature("JobBackoffLimitPerIndex", "", Metrics::Enabled::kYes);
  metrics_->feature("SomethingNew", "ALPHA", Metrics::Enabled::kNo);

  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("\nkubernetes_feature_enabled{name=\"JobBackoffLimitPerIndex\","
                              "stage=\"\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nkubernetes_feature_enabled{name=\"SomethingNew\","
                              "stage=\"ALPHA\"} 0\n"));
}

TEST_F(MetricsTest, CountersOfAControllerGoOnWhenAnotherGenerationServes) {
  SwapMetrics::ControllerUse use{.plugin = "web", .controller = "web-controller"};
  use.cpu = seconds(3);
  use.syncs = 10;
  use.errors = 2;
  metrics_->controller_use(use);
  metrics_->controller_use(use);
  use = {.plugin = "web", .controller = "web-controller", .generation = 2};
  use.cpu = seconds(1);
  use.syncs = 5;
  use.pending_changes = 7;
  use.delayed_keys = 4;
  use.failing_keys = 6;
  use.held = {.objects = 3, .object_bytes = 2048, .journal_bytes = 99};
  metrics_->controller_use(use);

  const std::string text = metrics_->text();

  const std::string labels = "{controller=\"web-controller\",plugin=\"web\"} ";
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_cpu_seconds_total" + labels + "4\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_syncs_total" + labels + "15\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_sync_errors_total" + labels + "2\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_pending_changes" + labels + "7\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_delayed_keys" + labels + "4\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_failing_keys" + labels + "6\n"));
  const auto of = [](std::string_view kind) {
    return "{controller=\"web-controller\",kind=\"" + std::string(kind) + "\",plugin=\"web\"} ";
  };
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_held" + of("objects") + "3\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_held_bytes" + of("objects") + "2048\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_held_bytes" + of("journal") + "99\n"));
}

TEST_F(MetricsTest, SkippedSyncsOfAReplicaSetHaveUpstreamsNameToo) {
  metrics_->stale_sync_skipped("replicaset-controller", {"", "v1", "pods"});
  metrics_->stale_sync_skipped("deployment-controller", {"apps", "v1", "replicasets"});

  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("\nreplicaset_controller_stale_sync_skips_total{group=\"\","
                              "resource=\"pods\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ndavit_controller_stale_sync_skips_total{"
                              "controller=\"deployment-controller\",group=\"apps\","
                              "resource=\"replicasets\"} 1\n"));
}

TEST_F(MetricsTest, TransportsAreCountedAsMadeOrShared) {
  metrics_->transport_used(RestMetrics::TransportUse::kMade);
  metrics_->transport_used(RestMetrics::TransportUse::kShared);
  metrics_->transport_used(RestMetrics::TransportUse::kShared);

  const std::string text = metrics_->text();

  EXPECT_THAT(text, HasSubstr("\nrest_client_transport_cache_entries 1\n"));
  EXPECT_THAT(text, HasSubstr("\nrest_client_transport_create_calls_total{result=\"miss\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nrest_client_transport_create_calls_total{result=\"hit\"} 2\n"));
}

TEST_F(MetricsTest, HealthHasItsOwnPage) {  // HO-096
  metrics_->health_checked("leaderElection", "healthz", Status());
  metrics_->health_checked("leaderElection", "healthz", Status());
  metrics_->health_checked("x", "healthz", Status(Code::kUnavailable, "no"));

  const std::string text = metrics_->slis_text();

  EXPECT_THAT(text, HasSubstr("kubernetes_healthchecks_total{name=\"leaderElection\","
                              "status=\"success\",type=\"healthz\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("kubernetes_healthcheck{name=\"x\",type=\"healthz\"} 0\n"));
  EXPECT_THAT(metrics_->text(), Not(HasSubstr("kubernetes_healthcheck")));
}

TEST_F(MetricsTest, DisabledMetricsAreNotShownAndAreCounted) {  // HO-101
  const auto rules = [](NameSet disabled) { return MetricRules{.disabled = std::move(disabled)}; };
  const auto all = Metrics::make({}, clock_);
  const auto some = Metrics::make({}, clock_,
                                  rules({"workqueue_adds_total", "web_requests_total",
                                         "process_open_fds", "kubernetes_healthcheck", "unknown"}));
  for (Metrics* each : {all.get(), some.get()}) {
    each->queue_metrics("deployment");
    each->health_checked("ping", "healthz", {});
  }
  const auto web = some->open_plugin_metric({.name = "web_requests_total", .help = "h"}, {"web"});
  ASSERT_TRUE(web);

  const std::string text = some->text();

  for (const char* name : {"workqueue_adds_total", "web_requests_total", "process_open_fds"}) {
    EXPECT_THAT(text, Not(HasSubstr(name)));
  }
  EXPECT_THAT(text, HasSubstr("\nworkqueue_depth{name=\"deployment\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("\ndisabled_metrics_total 5\n"));
  EXPECT_THAT(all->text(), HasSubstr("\ndisabled_metrics_total 0\n"));
  EXPECT_THAT(some->slis_text(), Not(HasSubstr("kubernetes_healthcheck{")));
  EXPECT_THAT(some->slis_text(), HasSubstr("kubernetes_healthchecks_total{"));
  const auto registered = [](const std::string& of) {
    const std::string key =
        "registered_metrics_total{deprecated_version=\"\",stability_level=\"BETA\"} ";
    return std::stoi(of.substr(of.find(key) + key.size()));
  };
  EXPECT_EQ(registered(text), registered(all->text()) - 1) << "of these only one is BETA";
}

TEST_F(MetricsTest, ValuesOfALabelThatAreNotAllowedAreUnexpected) {  // HO-102
  const MetricRules rules{.disabled = {},
                          .allowed = {{"workqueue_depth", {{"name", {"deployment"}}}},
                                      {"web_requests_total", {{"code", {"200", "404"}}}}}};
  const auto metrics = Metrics::make({}, clock_, rules);
  metrics->queue_metrics("deployment").added();
  metrics->queue_metrics("job").added();
  metrics->queue_metrics("cronjob").added();
  const auto web = metrics->open_plugin_metric(
      {.name = "web_requests_total", .help = "h", .labels = {"code", "path"}}, {"web"});
  ASSERT_TRUE(web);
  for (const char* code : {"200", "500", "503"}) {
    EXPECT_TRUE(record(**web, 1, {code, "/"}).ok());
  }

  const std::string text = metrics->text();

  EXPECT_THAT(text, HasSubstr("\nworkqueue_depth{name=\"deployment\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_depth{name=\"unexpected\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("workqueue_depth{name=\"job\"}")));
  EXPECT_THAT(text, HasSubstr("\nworkqueue_adds_total{name=\"job\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nweb_requests_total{code=\"200\",path=\"/\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nweb_requests_total{code=\"unexpected\",path=\"/\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\ncardinality_enforcement_unexpected_categorizations_total 4\n"));
}

}  // namespace
}  // namespace davit::host

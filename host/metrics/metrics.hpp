/// The metrics of the process: upstream's names, labels and buckets. prometheus-cpp stays in the
/// .cpp.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/cache_metrics.hpp"
#include "host/election/leader_elector.hpp"
#include "host/metrics/metric_definition.hpp"
#include "host/metrics/metric_rules.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/run/controller_runner.hpp"
#include "host/run/swap_metrics.hpp"
#include "host/serving/serving_metrics.hpp"
#include "host/trace/tracer.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/version.hpp"

namespace davit::host {

/// The labels of kubernetes_build_info. git_version must begin with the cluster's major and minor
/// version ("v1.30.1"), or the alert KubeVersionMismatch of kubernetes-mixin fires.
struct BuildInfo {
  std::string git_version = {};
  std::string git_commit = {};
  std::string build_date = {};
  std::string compiler = {};
  std::string platform = kPlatform;
};

/// A metric that a plugin opens.
struct MetricOptions {
  MetricType type = MetricType::kCounter;
  std::string name = {};
  std::string help = {};
  std::vector<std::string> labels = {};
  std::vector<double> buckets = {};  ///< Histograms: upper bounds, rising.
};

/// Who opens a metric.
struct MetricOwner {
  std::string plugin;
  std::uint64_t generation = 1;
  /// A hidden one is never shown: that of a shadow.
  enum class Visibility { kShown, kHidden };
  Visibility visibility = Visibility::kShown;
};

/// A metric that one generation of a plugin has open; destroying it closes it. The Metrics must
/// outlive it. Thread-safe, does not block.
class PluginMetric {
 public:
  PluginMetric() = default;
  PluginMetric(const PluginMetric&) = delete;
  PluginMetric& operator=(const PluginMetric&) = delete;
  virtual ~PluginMetric() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Adds to a counter, sets a gauge, observes into a histogram. kInvalid when the number of label
  /// values is not that of the labels, or a counter is to fall; kUnavailable when the metric has
  /// too many series. Has no effect once another generation serves.
  virtual Status record(double value, std::span<const std::string_view> label_values) = 0;
  /// Deletes one series. kInvalid as record(); kNotFound: there is no such series.
  virtual Status remove(std::span<const std::string_view> label_values) = 0;
  /// This generation serves from now on: /metrics shows its definition.
  virtual void serve() = 0;
};

/// The informers that controllers open at run time. Thread-safe.
class OpenedInformerMetrics {
 public:
  OpenedInformerMetrics() = default;
  OpenedInformerMetrics(const OpenedInformerMetrics&) = delete;
  OpenedInformerMetrics& operator=(const OpenedInformerMetrics&) = delete;
  virtual ~OpenedInformerMetrics() = default;

  /// davit_controller_informers and davit_controller_informers_refused_total.
  enum class Kinds { kBuiltIn, kCustom };
  enum class InformerStep { kOpened, kClosed, kRefused };
  virtual void controller_informer(std::string_view controller, Kinds kinds, InformerStep step) = 0;
};

/// The rights of the host and its controllers. Thread-safe.
class RightsMetrics {
 public:
  RightsMetrics() = default;
  RightsMetrics(const RightsMetrics&) = delete;
  RightsMetrics& operator=(const RightsMetrics&) = delete;
  virtual ~RightsMetrics() = default;

  /// davit_missing_rights.
  virtual void missing_rights(std::string_view controller, std::size_t rights) = 0;
  /// The number of requests other than POST that the server has answered with 403. Quotas and
  /// terminating namespaces refuse POST as well, so that says little about rights.
  [[nodiscard]] virtual std::uint64_t refused_requests() const = 0;
};

/// Plugins and controllers that do not run although they should.
class IdlePluginMetrics {
 public:
  IdlePluginMetrics() = default;
  IdlePluginMetrics(const IdlePluginMetrics&) = delete;
  IdlePluginMetrics& operator=(const IdlePluginMetrics&) = delete;
  virtual ~IdlePluginMetrics() = default;

  /// davit_plugin_quarantined.
  enum class Quarantined { kNo, kYes };
  virtual void plugin_quarantined(std::string_view plugin, std::string_view build,
                                  Quarantined quarantined) = 0;

  /// davit_controller_waits.
  enum class Waits { kNo, kYes };
  virtual void controller_waits(std::string_view controller, const ResourceId& resource,
                                Waits waits) = 0;
};

/// Everything on /metrics. Thread-safe.
class Metrics : public RestMetrics,
                public OutboundMetrics,
                public TraceMetrics,
                public RunnerMetrics,
                public LeaderElectionMetrics,
                public CacheMetrics,
                public ServingMetrics,
                public SwapMetrics,
                public RightsMetrics,
                public IdlePluginMetrics,
                public OpenedInformerMetrics {
 public:
  /// `rules` hold for the host's metrics and those of plugins; allowed values of labels not for
  /// kubernetes_build_info and registered_metrics_total.
  [[nodiscard]] static std::unique_ptr<Metrics> make(const BuildInfo& build, Clock& clock,
                                                     MetricRules rules = {});

  /// Opens a plugin's metric. Two generations of one plugin may define one name differently: shown
  /// is the definition that served last, or the newest one when that is closed. Generations that
  /// differ in the help text at most share their series. A metric that is no longer open is gone.
  /// kAlreadyExists: another plugin, or this generation, has the name with other options, or it is
  /// the host's; kInvalid: a name or the buckets are malformed.
  [[nodiscard]] virtual Result<std::unique_ptr<PluginMetric>> open_plugin_metric(
      const MetricOptions& options, const MetricOwner& owner) = 0;

  /// Calls `refresh` before each exposition, to write gauges that are costly to keep up to date.
  /// Never removed; everything that it uses must outlive the last scrape.
  virtual void before_scrape(std::function<void()> refresh) = 0;

  /// kubernetes_build_info again, once the server's version is known.
  virtual void set_build_info(const BuildInfo& build) = 0;

  /// kubernetes_feature_enabled. `stage` as upstream has it: "" for a feature that is generally
  /// available, else "ALPHA", "BETA" or "DEPRECATED".
  enum class Enabled { kNo, kYes };
  virtual void feature(std::string_view name, std::string_view stage, Enabled enabled) = 0;

  /// kubernetes_healthcheck and kubernetes_healthchecks_total of /metrics/slis.
  virtual void health_checked(std::string_view check, std::string_view endpoint,
                              const Status& result) = 0;

  /// davit_client_certificate_expiration_timestamp_seconds.
  virtual void own_certificate_expires(WallTime at) = 0;

  /// davit_informer_unconfirmed_seconds and davit_informer_stale.
  enum class Stale { kNo, kYes };
  virtual void informer_freshness(const ResourceId& resource, Duration unconfirmed,
                                  Stale stale) = 0;
  /// davit_informer_bytes.
  virtual void informer_bytes(const ResourceId& resource, std::size_t bytes) = 0;
  /// davit_journal_bytes.
  virtual void journal_bytes(std::size_t bytes) = 0;

  /// A sync was put off because the cache of `resource` lags: *_stale_sync_skips_total under
  /// upstream's names for the controllers that have them there, and ours for all.
  virtual void stale_sync_skipped(std::string_view controller, const ResourceId& resource) = 0;

  /// Every metric of the host, by name; without those that plugins open.
  [[nodiscard]] virtual std::vector<MetricDefinition> definitions() const = 0;

  /// The text exposition format, version 0.0.4.
  [[nodiscard]] virtual std::string text() = 0;
  /// The same of the few metrics about health alone.
  [[nodiscard]] virtual std::string slis_text() = 0;
};

}  // namespace davit::host

#include "host/health/plugin_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "host/health/series.hpp"

namespace davit::host {
namespace {

/// Series of one metric. Ten times what a metric by namespace has in a large cluster, and about 10
/// MiB.
constexpr std::size_t kSeriesMax = 10000;

/// The prefixes of the host's metrics; a plugin's must not use them.
constexpr std::array<std::string_view, 8> kReserved = {
    "workqueue_",  "rest_client_", "leader_election_", "process_",
    "kubernetes_", "informer_",    "davit_",           "running_managed_controllers",
};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_name(std::string_view text, std::string_view more) {
  if (text.empty() || !(letter(text[0]) || more.find(text[0]) != std::string_view::npos)) {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return letter(c) || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
  });
}

Status invalid(const MetricOptions& options, std::string_view why) {
  return {Code::kInvalid, "metric \"" + options.name + "\": " + std::string(why)};
}

Status check(const MetricOptions& options) {
  if (!is_name(options.name, ":")) return invalid(options, "not a valid metric name");
  std::vector<std::string> seen;
  for (const std::string& label : options.labels) {
    if (!is_name(label, "") || label.starts_with("__") || label == "le") {
      return invalid(options, "not a valid label name: " + label);
    }
    if (std::find(seen.begin(), seen.end(), label) != seen.end()) {
      return invalid(options, "label given twice: " + label);
    }
    seen.push_back(label);
  }
  const std::vector<double>& buckets = options.buckets;
  if (options.type != MetricType::kHistogram) {
    return buckets.empty() ? Status() : invalid(options, "buckets are for histograms");
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (!std::isfinite(buckets[i]) || (i > 0 && buckets[i] <= buckets[i - 1])) {
      return invalid(options, "buckets must be increasing numbers");
    }
  }
  return buckets.empty() ? invalid(options, "a histogram needs buckets") : Status();
}

bool same(const MetricOptions& a, const MetricOptions& b) {
  return a.type == b.type && a.help == b.help && a.labels == b.labels && a.buckets == b.buckets;
}

Status apply(prometheus::Counter& counter, double value) {
  if (!(value >= 0)) return {Code::kInvalid, "a counter cannot decrease"};
  counter.Increment(value);
  return {};
}

Status apply(prometheus::Gauge& gauge, double value) {
  gauge.Set(value);
  return {};
}

Status apply(prometheus::Histogram& histogram, double value) {
  histogram.Observe(value);
  return {};
}

template <typename T>
class OpenMetric final : public PluginMetric {
 public:
  OpenMetric(prometheus::Registry& registry, const MetricOptions& options)
      : name_(options.name),
        label_count_(options.labels.size()),
        series_(registry,
                {options.name, options.help, options.labels, options.buckets, kSeriesMax}) {
    // Without labels there is one series, and it is there from the start, as upstream's.
    if (label_count_ == 0) static_cast<void>(series_.find({}));
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  Status record(double value, std::span<const std::string_view> label_values) override {
    if (label_values.size() != label_count_) {
      return {Code::kInvalid, "the metric has " + std::to_string(label_count_) + " labels"};
    }
    T* const series = series_.find(label_values);
    if (series == nullptr) return {Code::kUnavailable, "the metric has too many series"};
    return apply(*series, value);
  }

 private:
  const std::string name_;
  const std::size_t label_count_;
  Series<T> series_;
};

std::unique_ptr<PluginMetric> make(prometheus::Registry& registry, const MetricOptions& options) {
  switch (options.type) {
    case MetricType::kGauge:
      return std::make_unique<OpenMetric<prometheus::Gauge>>(registry, options);
    case MetricType::kHistogram:
      return std::make_unique<OpenMetric<prometheus::Histogram>>(registry, options);
    case MetricType::kCounter:
      break;
  }
  return std::make_unique<OpenMetric<prometheus::Counter>>(registry, options);
}

}  // namespace

Result<PluginMetric*> PluginMetrics::open(const MetricOptions& options) {
  if (Status s = check(options); !s.ok()) return s;
  for (const std::string_view prefix : kReserved) {
    if (options.name.starts_with(prefix)) {
      return Status(Code::kAlreadyExists, "metric \"" + options.name +
                                              "\": names that begin with " + std::string(prefix) +
                                              " are the host's");
    }
  }
  MutexLock lock(mutex_);
  const auto found = entries_.find(options.name);
  if (found != entries_.end()) {
    if (same(found->second.options, options)) return found->second.metric.get();
    return Status(Code::kAlreadyExists,
                  "metric \"" + options.name + "\" is open already with other options");
  }
  Entry& entry = entries_[options.name];
  entry.options = options;
  entry.metric = make(registry_, options);
  return entry.metric.get();
}

}  // namespace davit::host

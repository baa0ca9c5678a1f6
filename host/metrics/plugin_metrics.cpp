#include "host/metrics/plugin_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

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

Status invalid(Code code, const MetricOptions& options, std::string_view why) {
  return {code, "metric \"" + options.name + "\": " + std::string(why)};
}

Status invalid(const MetricOptions& options, std::string_view why) {
  return invalid(Code::kInvalid, options, why);
}

Status check(const MetricOptions& options) {
  if (!is_name(options.name, ":")) return invalid(options, "not a valid metric name");
  for (const std::string_view prefix : kReserved) {
    if (!options.name.starts_with(prefix)) continue;
    return invalid(Code::kAlreadyExists, options,
                   "names that begin with " + std::string(prefix) + " are the host's");
  }
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

bool same_shape(const MetricOptions& a, const MetricOptions& b) {
  return a.type == b.type && a.labels == b.labels && a.buckets == b.buckets;
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
class Storage final : public MetricStorage {
 public:
  Storage(const MetricOptions& options, const MetricRegistry& registry)
      : options_(options),
        limits_(registry.rules, options.name, options.labels),
        registry_(registry),
        family_(options.name, options.help, {}) {
    MutexLock lock(mutex_);
    // Without labels there is one series, and it is there from the start, as upstream's.
    if (options_.labels.empty()) static_cast<void>(find({}));
  }

  Status record(double value, std::span<const std::string_view> label_values) override {
    if (Status s = check_count(label_values); !s.ok()) return s;
    std::vector<std::string_view> allowed(label_values.begin(), label_values.end());
    const std::size_t replaced = limits_.apply(allowed);
    if (replaced > 0 && registry_.unexpected != nullptr) {
      registry_.unexpected->Increment(static_cast<double>(replaced));
    }
    MutexLock lock(mutex_);  // Until the value is in: remove() deletes the series.
    T* const series = find(allowed);
    if (series == nullptr) return {Code::kUnavailable, "the metric has too many series"};
    return apply(*series, value);
  }

  Status remove(std::span<const std::string_view> label_values) override {
    if (Status s = check_count(label_values); !s.ok()) return s;
    MutexLock lock(mutex_);
    const auto found = series_.find(key_of(label_values));
    if (found == series_.end()) return {Code::kNotFound, "the metric has no such series"};
    family_.Remove(found->second);
    series_.erase(found);
    return {};
  }

  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const override {
    return family_.Collect();
  }

 private:
  [[nodiscard]] Status check_count(std::span<const std::string_view> label_values) const {
    if (label_values.size() == options_.labels.size()) return {};
    return {Code::kInvalid, "the metric has " + std::to_string(options_.labels.size()) + " labels"};
  }
  static std::string key_of(std::span<const std::string_view> values) {
    std::string key;
    for (const std::string_view value : values) {
      key += value;
      key += '\xFF';  // In no UTF-8 text.
    }
    return key;
  }
  /// The series with these values, made when it is new; null when there are too many.
  T* find(std::span<const std::string_view> values) REQUIRES(mutex_) {
    std::string key = key_of(values);
    const auto found = series_.find(key);
    if (found != series_.end()) return found->second;
    if (series_.size() >= kSeriesMax) return nullptr;
    prometheus::Labels labels;
    for (std::size_t i = 0; i < values.size(); ++i) {
      labels.emplace(options_.labels[i], std::string(values[i]));
    }
    T* made = nullptr;
    if constexpr (std::is_same_v<T, prometheus::Histogram>) {
      made = &family_.Add(labels, options_.buckets);
    } else {
      made = &family_.Add(labels);
    }
    series_.emplace(std::move(key), made);
    return made;
  }

  const MetricOptions options_;
  const LabelLimits limits_;
  const MetricRegistry& registry_;
  prometheus::Family<T> family_;  // Guards itself; its series live until they are removed.
  Mutex mutex_;
  std::map<std::string, T*> series_ GUARDED_BY(mutex_);
};

std::unique_ptr<MetricStorage> make(const MetricOptions& options, const MetricRegistry& registry) {
  switch (options.type) {
    case MetricType::kGauge:
      return std::make_unique<Storage<prometheus::Gauge>>(options, registry);
    case MetricType::kHistogram:
      return std::make_unique<Storage<prometheus::Histogram>>(options, registry);
    case MetricType::kCounter:
      break;
  }
  return std::make_unique<Storage<prometheus::Counter>>(options, registry);
}

}  // namespace

class PluginMetrics::Opened final : public PluginMetric {
 public:
  Opened(PluginMetrics& all, const MetricOptions& options, MetricOwner owner, Shape& shape)
      : all_(all), options_(options), owner_(std::move(owner)), shape_(shape) {}
  ~Opened() override { all_.close(*this); }

  [[nodiscard]] const std::string& name() const override { return options_.name; }
  Status record(double value, std::span<const std::string_view> label_values) override {
    return is_superseded() ? Status() : shape_.storage->record(value, label_values);
  }
  Status remove(std::span<const std::string_view> label_values) override {
    return is_superseded() ? Status() : shape_.storage->remove(label_values);
  }
  void serve() override { all_.serve(*this); }

  [[nodiscard]] const MetricOptions& options() const { return options_; }
  [[nodiscard]] const MetricOwner& owner() const { return owner_; }
  [[nodiscard]] Shape& shape() const { return shape_; }
  [[nodiscard]] bool is_hidden() const {
    return owner_.visibility == MetricOwner::Visibility::kHidden;
  }
  /// Another generation of the plugin serves: what this one does has no effect.
  void supersede() { superseded_.store(true, std::memory_order_relaxed); }

 private:
  // Relaxed is enough: a call under way may still act as before.
  [[nodiscard]] bool is_superseded() const { return superseded_.load(std::memory_order_relaxed); }

  PluginMetrics& all_;
  const MetricOptions options_;
  const MetricOwner owner_;
  Shape& shape_;  // Lives as long as it has users.
  std::atomic<bool> superseded_{false};
};

Status PluginMetrics::check_others(const Entry& entry, const MetricOptions& options,
                                   const MetricOwner& owner) {
  for (const Opened* each : entry.opened) {
    const bool is_same =
        each->options().help == options.help && same_shape(each->options(), options);
    const bool may_differ =
        each->owner().plugin == owner.plugin && each->owner().generation != owner.generation;
    if (is_same || may_differ) continue;
    return invalid(Code::kAlreadyExists, options, "is open already with other options");
  }
  return {};
}

Result<std::unique_ptr<PluginMetric>> PluginMetrics::open(const MetricOptions& options,
                                                          const MetricOwner& owner) {
  if (Status s = check(options); !s.ok()) return s;
  MutexLock lock(mutex_);
  Entry& entry = entries_[options.name];
  if (Status s = check_others(entry, options, owner); !s.ok()) return s;
  auto shape = std::find_if(entry.shapes.begin(), entry.shapes.end(),
                            [&](const Shape& each) { return same_shape(each.options, options); });
  if (shape == entry.shapes.end()) {
    shape = entry.shapes.insert(shape, Shape{options, make(options, registry_), 0});
  }
  auto opened = std::make_unique<Opened>(*this, options, owner, *shape);
  ++shape->users;
  entry.opened.push_back(opened.get());
  if (entry.shown == nullptr && !opened->is_hidden()) entry.shown = opened.get();
  return std::unique_ptr<PluginMetric>(std::move(opened));
}

void PluginMetrics::serve(Opened& metric) {
  if (metric.is_hidden()) return;
  MutexLock lock(mutex_);
  Entry& entry = entries_.find(metric.name())->second;
  entry.shown = &metric;
  for (Opened* each : entry.opened) {
    const bool is_other = each->owner().plugin == metric.owner().plugin &&
                          each->owner().generation != metric.owner().generation;
    if (is_other && !each->is_hidden()) each->supersede();
  }
}

void PluginMetrics::close(Opened& metric) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(metric.name());
  Entry& entry = found->second;
  std::erase(entry.opened, &metric);
  if (entry.shown == &metric) {
    // Another controller of the same generation before the next generation.
    Opened* next = nullptr;
    for (Opened* each : entry.opened) {
      if (each->is_hidden()) continue;
      next = each;
      if (each->owner().generation == metric.owner().generation) break;
    }
    entry.shown = next;
  }
  if (--metric.shape().users == 0) {
    entry.shapes.remove_if([&](const Shape& each) { return &each == &metric.shape(); });
  }
  if (entry.opened.empty()) entries_.erase(found);
}

void PluginMetrics::collect(std::vector<prometheus::MetricFamily>& out) const {
  MutexLock lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.shown == nullptr) continue;
    for (prometheus::MetricFamily& family : entry.shown->shape().storage->collect()) {
      family.help = entry.shown->options().help;
      out.push_back(std::move(family));
    }
  }
}

}  // namespace davit::host

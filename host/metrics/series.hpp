/// One metric with labels over prometheus-cpp. Internal to host/health.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/metrics/metric_definition.hpp"
#include "host/metrics/metric_rules.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

using Buckets = std::vector<double>;

struct SeriesOptions {
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  Buckets buckets = {};            // Histograms only.
  std::size_t series_max = 10000;  // A label with unbounded values must not eat the memory.
};

/// The families of one exposition and their definitions. Families are added while it is set up, by
/// one thread.
struct MetricRegistry {
  const MetricRules rules = {};
  prometheus::Registry families{};
  std::vector<MetricDefinition> definitions = {};
  /// Counts the values of labels that became "unexpected"; null: nothing does. Fixed once the
  /// families are added, and outlives them.
  prometheus::Counter* unexpected = nullptr;
};

/// A family of T (prometheus::Counter, Gauge or Histogram) whose series are found by their label
/// values. Thread-safe. prometheus-cpp makes a whole histogram each time that a series is only
/// looked up; this looks first.
template <typename T>
class Series {
 public:
  Series(MetricRegistry& registry, SeriesOptions options)
      : options_(std::move(options)),
        limits_(registry.rules, options_.name, options_.labels),
        registry_(registry),
        family_(build(registry.families, options_)) {
    registry.definitions.push_back(
        {kType, options_.name, options_.help, options_.labels, options_.buckets});
    // Upstream shows a metric without labels from the start (component-base/metrics).
    if (options_.labels.empty()) (void)find({});
  }

  /// The series with these values, made when it is new; null when there are too many.
  T* find(std::span<const std::string_view> values) EXCLUDES(mutex_) {
    if (limits_.empty()) return find_allowed(values);
    std::vector<std::string_view> allowed(values.begin(), values.end());
    const std::size_t replaced = limits_.apply(allowed);
    if (replaced > 0 && registry_.unexpected != nullptr) {
      registry_.unexpected->Increment(static_cast<double>(replaced));
    }
    return find_allowed(allowed);
  }

  /// For labels whose values are few: never null.
  T& at(std::initializer_list<std::string_view> values) {
    T* const found = find({values.begin(), values.size()});
    return found != nullptr ? *found : overflow();
  }

 private:
  T* find_allowed(std::span<const std::string_view> values) EXCLUDES(mutex_) {
    std::string key;
    for (const std::string_view value : values) {
      key += value;
      key += '\xFF';  // In no UTF-8 text.
    }
    MutexLock lock(mutex_);
    const auto found = series_.find(key);
    if (found != series_.end()) return found->second;
    if (series_.size() >= options_.series_max) return nullptr;
    T* const made = make(values);
    series_.emplace(std::move(key), made);
    return made;
  }

  static constexpr MetricType kType = std::is_same_v<T, prometheus::Counter> ? MetricType::kCounter
                                      : std::is_same_v<T, prometheus::Gauge>
                                          ? MetricType::kGauge
                                          : MetricType::kHistogram;

  static prometheus::Family<T>& build(prometheus::Registry& registry,
                                      const SeriesOptions& options) {
    if constexpr (std::is_same_v<T, prometheus::Counter>) {
      return prometheus::BuildCounter().Name(options.name).Help(options.help).Register(registry);
    } else if constexpr (std::is_same_v<T, prometheus::Gauge>) {
      return prometheus::BuildGauge().Name(options.name).Help(options.help).Register(registry);
    } else {
      return prometheus::BuildHistogram().Name(options.name).Help(options.help).Register(registry);
    }
  }

  T* make(std::span<const std::string_view> values) {
    prometheus::Labels labels;
    for (std::size_t i = 0; i < options_.labels.size() && i < values.size(); ++i) {
      labels.emplace(options_.labels[i], std::string(values[i]));
    }
    return &add(labels);
  }

  T& overflow() {
    prometheus::Labels labels;
    for (const std::string& name : options_.labels) labels.emplace(name, "unexpected");
    return add(labels);
  }

  T& add(const prometheus::Labels& labels) {
    if constexpr (std::is_same_v<T, prometheus::Histogram>) {
      return family_.Add(labels, options_.buckets);
    } else {
      return family_.Add(labels);
    }
  }

  const SeriesOptions options_;
  const LabelLimits limits_;
  MetricRegistry& registry_;
  prometheus::Family<T>& family_;
  Mutex mutex_;
  std::map<std::string, T*, std::less<>> series_ GUARDED_BY(mutex_);
};

using Counters = Series<prometheus::Counter>;
using Gauges = Series<prometheus::Gauge>;
using Histograms = Series<prometheus::Histogram>;

}  // namespace davit::host

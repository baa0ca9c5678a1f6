/// The metrics of the binder, with upstream's names. Rule: docs/spec/volumes.md, B14.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <davit/lookup.hpp>
#include <map>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// A gauge of a number of objects for each combination of labels; a combination without objects has
/// no series. For one thread.
template <std::size_t kLabels>
class CountedGauge {
 public:
  using Labels = std::array<std::string, kLabels>;

  explicit CountedGauge(Metric metric) : metric_(metric) {}

  void add(const Labels& labels) { record(labels, ++counts_[labels]); }
  void take(const Labels& labels) {
    const auto found = counts_.find(labels);
    if (found == counts_.end()) return;
    record(labels, --found->second);
    if (found->second == 0) counts_.erase(found);
  }

 private:
  void record(const Labels& labels, std::int64_t count) const {
    std::apply(
        [&](const auto&... each) {
          if (count == 0) {
            metric_.remove({std::string_view(each)...});
          } else {
            metric_.record(static_cast<double>(count), {std::string_view(each)...});
          }
        },
        labels);
  }

  Metric metric_;
  std::map<Labels, std::int64_t> counts_;
};

/// Call the functions that count objects in handlers; the others may be called on any thread.
class BinderMetrics {
 public:
  explicit BinderMetrics(Context& cluster);

  /// A volume has come, or has gone.
  void count(const volumes::Volume& volume, bool is_there);
  void count(const volumes::Claim& claim, bool is_there);

  /// `operation`: "provision" or "delete".
  void ended(std::string_view operation, std::string_view plugin, Duration took) const;
  void failed(std::string_view operation, std::string_view plugin) const;
  void default_class_assigned(bool was_written) const;

 private:
  CountedGauge<1> bound_volumes_;
  CountedGauge<1> unbound_volumes_;
  CountedGauge<3> bound_claims_;
  CountedGauge<3> unbound_claims_;
  CountedGauge<2> all_volumes_;
  const Metric seconds_;
  const Metric errors_;
  const Metric assigned_;
  const Metric not_assigned_;
};

}  // namespace davit::volumebinder

/// The metrics, with upstream's names. Rule: docs/spec/attachdetach.md, 12.
#pragma once

#include <array>
#include <cstdint>
#include <davit/context.hpp>
#include <map>
#include <string>
#include <string_view>

#include "plugins/attachdetach/world.hpp"

namespace davit::attachdetach {

/// Call the counting functions on one thread at a time; the others may be called on any thread.
class AttachMetrics {
 public:
  explicit AttachMetrics(Context& cluster);

  /// Counts the pairs of a volume in place of those that it had; null: it is gone.
  void count(const std::string& name, const VolumeState* volume);
  /// Counts the volumes of a pod in place of those that it had; null: it is gone.
  void count(const std::string& key, const PodState* pod);

  /// `reason`: "timeout" or "out-of-service".
  void forced(std::string_view reason) const { forced_.record(1, {reason}); }
  /// `operation`: "volume_attach" or "volume_detach".
  void ended(std::string_view operation, const Source& source, bool is_ok, Duration took) const;
  /// A verification of all attachments.
  void verified(Duration took) const;

 private:
  using Labels = std::array<std::string, 2>;

  /// The contribution of one owner to a gauge.
  using Counts = std::map<Labels, std::int64_t>;
  struct Gauge {
    Metric metric;
    std::map<Labels, std::int64_t> sums{};
    std::map<std::string, Counts> parts{};

    void put(const std::string& owner, Counts counts);
    void add(const Labels& labels, std::int64_t change);
  };

  Gauge total_;
  Gauge in_use_;
  const Metric forced_;
  const Metric seconds_;
};

}  // namespace davit::attachdetach

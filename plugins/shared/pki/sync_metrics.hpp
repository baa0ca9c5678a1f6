/// Metrics of the controllers that publish a CA: syncs by the code of their outcome.
#pragma once

#include <davit/context.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit::pki {

/// The names of the two metrics, and their common help.
struct SyncMetricNames {
  std::string_view total;
  std::string_view duration;
  std::string_view help;
};

/// A counter and a histogram of a publisher's syncs, each by `code`: 200, the server's status, or
/// 500 for an error that no response stands for. Opened in a controller's constructor.
class SyncMetrics {
 public:
  SyncMetrics(Context& cluster, const SyncMetricNames& names);

  /// A sync that began at `begin` has ended. Cancelled ones do not count.
  void record(const Status& outcome, Time begin) const;

 private:
  Context& cluster_;
  Metric total_;
  Metric duration_;
};

}  // namespace davit::pki

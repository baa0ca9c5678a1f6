#include "plugins/shared/pki/sync_metrics.hpp"

#include <chrono>
#include <vector>

namespace davit::pki {
namespace {

constexpr int kGood = 200;
constexpr int kUnknown = 500;  // An error that no server's response stands for.

/// From a millisecond, each bucket twice the one before.
std::vector<double> duration_buckets() {
  constexpr int kCount = 15;
  std::vector<double> out;
  double bound = 0.001;
  for (int i = 0; i < kCount; ++i, bound *= 2) out.push_back(bound);
  return out;
}

std::string code_text(const Status& outcome) {
  if (outcome.ok()) return std::to_string(kGood);
  const ApiDetail* detail = outcome.detail();
  const bool has_response = detail != nullptr && detail->http_status != 0;
  return std::to_string(has_response ? detail->http_status : kUnknown);
}

}  // namespace

SyncMetrics::SyncMetrics(Context& cluster, const SyncMetricNames& names)
    : cluster_(cluster),
      total_(cluster.open_metric({.type = MetricType::kCounter,
                                  .name = names.total,
                                  .help = names.help,
                                  .labels = {"code"}})),
      duration_(cluster.open_metric({.type = MetricType::kHistogram,
                                     .name = names.duration,
                                     .help = names.help,
                                     .labels = {"code"},
                                     .buckets = duration_buckets()})) {}

void SyncMetrics::record(const Status& outcome, Time begin) const {
  if (outcome.code() == Code::kCancelled) return;
  const std::string code = code_text(outcome);
  total_.record(1, {code});
  duration_.record(std::chrono::duration<double>(cluster_.now() - begin).count(), {code});
}

}  // namespace davit::pki

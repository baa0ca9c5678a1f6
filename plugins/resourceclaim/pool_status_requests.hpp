/// The controller of ResourcePoolStatusRequests: each is given the status of its pools once.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "plugins/resourceclaim/pool_status.hpp"

namespace davit::resourceclaim {

/// Rule: docs/spec/dra.md, part D.
class PoolStatusRequests final : public Controller {
 public:
  [[nodiscard]] static InitResult open(Context& cluster);
  explicit PoolStatusRequests(Context& cluster);

 private:
  /// The metrics; each has the driver as its label.
  struct Metrics {
    Metric processed;
    Metric errors;
    Metric seconds;
  };

  void on_request(const Event<PoolRequest>& event);
  /// Adds the requests that wait for slices of this driver.
  void on_slice(const Slice& slice) const;
  [[nodiscard]] Result<Again> sync(const Key& key);
  /// The time that a request with incomplete pools still waits; nothing: it has waited long enough.
  [[nodiscard]] std::optional<Duration> wait(const PoolRequest& request);
  [[nodiscard]] Status write(const PoolRequest& request, const Pools& pools, Time began);
  /// The driver as a label: names of drivers are what users write.
  [[nodiscard]] std::string label_of(std::string_view driver);
  /// Deletes requests whose time is over.
  void clean_up() const;
  [[nodiscard]] bool is_over(const PoolRequest& request) const;

  Context& cluster_;
  Queue queue_;
  Informer<PoolRequest> requests_;
  Informer<Slice> slices_;
  Informer<Claim> claims_;
  const Metrics metrics_;

  std::mutex mutex_;
  std::map<std::string, Time, std::less<>>
      waiting_;                                // The key is a UID, the value since when. Guarded.
  std::set<std::string, std::less<>> labels_;  // At most kLabelsMax. Guarded.
};

}  // namespace davit::resourceclaim

/// The time of the change that a write of endpoints reflects, for
/// endpoints_last_change_trigger_time (endpointslice/util.TriggerTimeTracker).
#pragma once

#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/state_fields.hpp>
#include <davit/time.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace davit::endpoint {

/// Remembers the latest times of each Service and its pods. Thread-safe; calls for one key do not
/// come at once.
class TriggerTimes {
 public:
  /// The earliest change since the last call for this Service; its creation at the first call;
  /// nothing when no change left a time (deletions, labels, addresses).
  [[nodiscard]] std::optional<WallTime> next(const Key& key, const Service& service,
                                             std::span<const Pod> pods);
  void forget(const Key& key);

  /// The whole content, for a HandedState.
  struct State {
    std::optional<WallTime> service;
    std::map<std::string, WallTime, std::less<>> pods;
  };
  using Content = std::map<Key, State>;
  void write(JsonWriter& out) const;
  [[nodiscard]] static Content read(const StateFields& state, std::string_view name);
  void replace(Content content);

 private:
  mutable std::mutex mutex_;
  Content states_;  // Guarded by mutex_.
};

}  // namespace davit::endpoint

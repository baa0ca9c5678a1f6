/// Zones, how many of their nodes are ready, and what follows for the rate of tainting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/node.hpp>
#include <map>
#include <string>
#include <vector>

namespace davit::nodelifecycle {

/// GetZoneKey: region and zone; empty when the node has neither label.
[[nodiscard]] std::string zone_key(const Node& node);

/// kInitial: seen, and not judged yet.
enum class ZoneState : std::uint8_t { kInitial, kNormal, kPartialDisruption, kFullDisruption };

/// The nodes of a zone that count.
struct ZoneCount {
  std::size_t ready = 0;
  std::size_t not_ready = 0;

  [[nodiscard]] std::size_t size() const { return ready + not_ready; }
};

/// The flags that decide on zones. Rates are a second's; upstream keeps them in float32.
struct ZoneOptions {
  float rate = 0.1F;
  float secondary_rate = 0.01F;
  std::size_t large_threshold = 50;
  float unhealthy_threshold = 0.55F;
};

/// ComputeZoneState
[[nodiscard]] ZoneState zone_state(const ZoneCount& count, const ZoneOptions& options);

/// The rate of a zone while some zone is not fully disrupted; 0: never.
[[nodiscard]] float zone_rate(ZoneState state, std::size_t size, const ZoneOptions& options);

using ZoneCounts = std::map<std::string, ZoneCount>;

/// The work of a pass after it counted.
struct DisruptionPlan {
  enum class Kind : std::uint8_t {
    kNone,   ///< `rates` has the zones whose state changed.
    kEnter,  ///< Every zone is down for the first time: taint no node.
    kExit,   ///< The first zone is back: every node gets a new grace period.
  };
  struct Rate {
    std::string zone;
    float rate;
  };
  Kind kind = Kind::kNone;
  std::vector<Rate> rates{};
  std::vector<std::string> vanished{};  ///< Zones without nodes, forgotten now.
};

/// The remembered states of the zones: handleDisruption.
class ZoneStates {
 public:
  /// Whether the zone is new.
  bool ensure(const std::string& zone) {
    return states_.try_emplace(zone, ZoneState::kInitial).second;
  }
  [[nodiscard]] DisruptionPlan update(const ZoneCounts& counts, const ZoneOptions& options);
  /// Whether there are zones, and the last update() found all of them in full disruption.
  [[nodiscard]] bool are_down() const;

  /// For the next build.
  [[nodiscard]] const std::map<std::string, ZoneState>& all() const { return states_; }
  void set(const std::string& zone, ZoneState state) { states_[zone] = state; }

 private:
  std::map<std::string, ZoneState> states_;
};

}  // namespace davit::nodelifecycle

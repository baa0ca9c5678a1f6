/// The zone hints' state between syncs (topologycache.TopologyCache).
#pragma once

#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <davit/state_fields.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/endpoint/zone_hints.hpp"
#include "plugins/shared/endpoint/ip_address.hpp"

namespace davit::endpoint {

/// Thread-safe. Lost with the process: the next syncs rebuild it.
class ZoneMemory {
 public:
  enum class Seen { kBefore, kFirst };

  [[nodiscard]] std::optional<ZoneRatios> ratios() const;
  void set_ratios(std::optional<ZoneRatios> ratios);

  /// Whether the Service has hints by zone, of either type.
  [[nodiscard]] bool has_hints(const Key& service) const;
  Seen remember(const Key& service, IpFamily type, ZoneCounts allocated);
  void forget(const Key& service, IpFamily type);
  /// The Services whose endpoints should be allocated again.
  [[nodiscard]] std::vector<Key> overloaded() const;

  /// The whole content, for a HandedState.
  struct Content {
    // Empty until the Nodes have been read once, absent if they allow no ratios: these two cases
    // have different events (spec 11.3).
    std::optional<ZoneRatios> ratios = ZoneRatios();
    std::map<std::pair<Key, IpFamily>, ZoneCounts> allocated;
    std::set<Key> hinted;
  };
  void write(JsonWriter& out) const;
  [[nodiscard]] static Content read(const StateFields& state);
  void replace(Content content);

 private:
  mutable std::mutex mutex_;
  Content now_;  // Guarded by mutex_.
};

}  // namespace davit::endpoint

/// The journal as JSON, for the status page and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/journal/journal.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Turns times of the host's clock into wall time, by one reading of both.
class WallClockReading {
 public:
  explicit WallClockReading(const Clock& clock) : now_(clock.now()), wall_(clock.wall_now()) {}

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] WallTime wall(Time time) const {
    return wall_ + std::chrono::duration_cast<WallTime::duration>(time - now_);
  }

 private:
  const Time now_;
  const WallTime wall_;
};

/// One record as a JSON object; docs/WHY.md has the members. `put_off`: the JSON of that member;
/// empty: none.
[[nodiscard]] std::string json_of(const WorkRecord& record, std::string_view controller,
                                  const WallClockReading& clock, std::string_view put_off = {});
/// The events that woke a sync, as a JSON array.
[[nodiscard]] std::string json_of(const std::vector<Wake>& wakes, const WallClockReading& clock);

/// The last `count` syncs of a controller that wrote something or failed, newest first, as a JSON
/// array of json_of(); "[]" for one that did nothing or is not known. Thread-safe.
[[nodiscard]] std::string recent_json(const Journal& journal, std::string_view controller,
                                      std::size_t count, const Clock& clock);

}  // namespace davit::host

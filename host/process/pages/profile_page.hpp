/// /debug/pprof/profile: a CPU profile of this process.
#pragma once

#include <chrono>

#include "host/health/observability_server.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The length of a profile without ?seconds=, as upstream's.
inline constexpr std::chrono::seconds kProfileTime{30};
/// The longest profile: the memory for its samples is limited.
inline constexpr std::chrono::seconds kProfileTimeMax{300};

/// Mounts /debug/pprof/ and /debug/pprof/profile. A profile occupies no thread; a second one at the
/// same time gets 500, as in net/http/pprof. `clock` must live as long as the routes.
void add_profile_page(ObservabilityRoutes& routes, Clock& clock);

}  // namespace davit::host

/// Replaces the process of an isolated plugin by one of another build, with its state.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <string>
#include <vector>

#include "host/isolation/isolated_plugin.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

struct IsolatedSwapTerms {
  std::vector<std::string> controllers;  ///< Those that both builds run.
  Duration drain;                        ///< The longest wait for a running sync.
  Clock& clock;
};

struct IsolatedSwapReport {
  Status status = {};                        ///< If it failed, the old process serves.
  std::size_t state_bytes = 0;               ///< That were handed over.
  std::vector<std::string> state_left = {};  ///< Controllers whose new build takes no state.
};

/// `to` fills its caches while `from` works. Then the controllers of `from` are drained and write
/// their state (davit.state/1), `to` reads it, `from` ends, and `to` begins. If a step fails before
/// `from` ends, `from` continues, and `to` must be destroyed. Blocks. `to` has been opened with
/// Begin::kOnOrder and leads; nothing else stops either.
[[nodiscard]] IsolatedSwapReport swap_processes(IsolatedPlugin& from, IsolatedPlugin& to,
                                                const IsolatedSwapTerms& terms);

}  // namespace davit::host

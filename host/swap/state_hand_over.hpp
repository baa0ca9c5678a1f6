/// Passes the state of one build of a controller to the next one.
#pragma once

#include <string>

#include "host/swap/generation.hpp"

namespace davit::host {

/// The outcome for one controller.
struct StateHandOver {
  enum class End {
    kNone,      ///< The old build has no state, or none that counts.
    kHanded,    ///< The new build has it.
    kLeft,      ///< The new build takes none: it begins with nothing.
    kRefused,   ///< One of the two builds said no.
    kTimedOut,  ///< Handlers, or a call, did not return in time.
  };
  End end = End::kNone;
  std::string text{};     ///< The reason of kRefused and kTimedOut.
  std::size_t bytes = 0;  ///< The size of the state, with kHanded.
};

/// Whether `to` can read what `from` writes, by what they declare; of what may be handed over
/// kHanded.
[[nodiscard]] StateHandOver judge_state(ControllerHost& from, ControllerHost& to);

/// Hands over the state. `from` is drained, `to` has seen the content of the caches and syncs
/// nothing. The handlers of both are stopped. Plugin code runs on a separate thread; if it does not
/// end by `deadline`, `to` keeps the thread, and neither build counts as ended before it.
[[nodiscard]] StateHandOver hand_state(HostedController& from, HostedController& to, Clock& clock,
                                       Time deadline);

}  // namespace davit::host

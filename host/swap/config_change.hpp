/// Gives a running controller another configuration.
#pragma once

#include <string>

#include "host/swap/generation.hpp"

namespace davit::host {

struct ConfigChange {
  enum class End {
    kTaken,
    kNeedsBuild,  ///< Another instance of the build has to be made for it.
    kRefused,
    kTimedOut,  ///< This call, or an earlier one, has not returned.
  };
  End end = End::kTaken;
  std::string text{};  ///< Why not.
};

/// ControllerHost::configure() with a time limit. Plugin code runs on a separate thread; if it does
/// not end by `deadline`, `controller` keeps the thread and does not end before it.
[[nodiscard]] ConfigChange change_config(HostedController& controller, std::string config,
                                         Clock& clock, Time deadline);

/// Whether a call of change_config() into it has not returned.
[[nodiscard]] bool is_being_configured(HostedController& controller, Clock& clock);

}  // namespace davit::host

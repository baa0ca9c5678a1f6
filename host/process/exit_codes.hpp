/// Exit codes of davit's programs.
#pragma once

namespace davit::host {

/// Success, or a requested stop.
inline constexpr int kExitGood = 0;
/// A failure at run time.
inline constexpr int kExitFailed = 1;
/// An error in the flags, a manifest or a kubeconfig: nothing was started.
inline constexpr int kExitMistakes = 2;

}  // namespace davit::host

/// Exit codes of davit's programs.
#pragma once

namespace davit::host {

/// Success, or a requested stop.
inline constexpr int kExitGood = 0;
/// Something failed while it ran.
inline constexpr int kExitFailed = 1;
/// A mistake in the flags, a manifest or a kubeconfig: nothing was begun.
inline constexpr int kExitMistakes = 2;

}  // namespace davit::host

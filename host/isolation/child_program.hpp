/// The agreement between a host and the program of a child process, beside their messages.
#pragma once

#include <string_view>

namespace davit::host {

/// The first argument with which davit is such a program; the second is "required" or "optional"
/// (LandlockNeed). No user needs it, so help and manual do not have it.
inline constexpr std::string_view kIsolatedPluginArgument = "--run-isolated-plugin";

/// The descriptors that the host passes.
inline constexpr int kChannelDescriptor = 3;
inline constexpr int kPluginDescriptor = 4;
inline constexpr int kSettingsDescriptor = 5;

}  // namespace davit::host

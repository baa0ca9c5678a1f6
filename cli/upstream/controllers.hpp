/// The controllers of kube-controller-manager v1.36, so that existing lists of them stay valid.
/// Pure.
#pragma once

#include <span>
#include <string_view>

namespace davit::host {

/// Rule: docs/spec/host.md, 5.3. All texts live as long as the program.
struct UpstreamController {
  std::string_view name;
  std::string_view alias;   ///< Empty: none.
  std::string_view plugin;  ///< The plugin of davit that has it; empty: none.
};

/// All of them, by name.
[[nodiscard]] std::span<const UpstreamController> upstream_controllers();

/// The controller with this name or alias, or null.
[[nodiscard]] const UpstreamController* find_upstream_controller(std::string_view name);

}  // namespace davit::host

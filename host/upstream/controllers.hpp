/// The controllers of kube-controller-manager v1.36, so that existing lists of them stay valid.
/// tools/kubernetes_tables makes the table from the help of the real binary and controllers.toml.
/// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace davit::host {

/// Rule: docs/spec/host.md, 5.3. All texts live as long as the program.
struct UpstreamController {
  std::string_view name;
  std::string_view alias;   ///< Empty: none.
  std::string_view plugin;  ///< The plugin of davit that has it; empty: none.
  /// When kube-controller-manager runs it, if --controllers does not say otherwise.
  enum class Runs : std::uint8_t {
    kAlways,
    kIfNamed,   ///< "*" does not switch it on.
    kWithGate,  ///< A feature gate that is off in v1.36 switches it on.
  };
  /// Those that davit has say kIfNamed at most: their plugins know the rest.
  Runs runs = Runs::kAlways;
  /// The harm in a cluster without it: a clause for people. Only for those that davit lacks.
  std::string_view stops = {};

  /// That davit does not have it, and what stops then: a line for people.
  [[nodiscard]] std::string without() const;
};

/// All of them, by name.
[[nodiscard]] std::span<const UpstreamController> upstream_controllers();

/// The controller with this name or alias, or null.
[[nodiscard]] const UpstreamController* find_upstream_controller(std::string_view name);

}  // namespace davit::host

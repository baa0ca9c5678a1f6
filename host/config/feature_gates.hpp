/// The feature gates of kube-controller-manager v1.36. Rules: docs/spec/host.md, 10. The table is
/// made by tools/kubernetes_tables. Pure.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// Gates that the operator sets, by name; may have AllAlpha and AllBeta.
using GateSettings = std::map<std::string, bool>;

/// A gate. Its name lives as long as the program.
struct FeatureGate {
  enum class Stage : std::uint8_t { kAlpha, kBeta, kGa, kDeprecated };
  enum class Lock : std::uint8_t { kFree, kLocked };

  std::string_view name;
  Stage stage;
  bool fallback;  ///< Whether it is on by default.
  Lock lock = Lock::kFree;
};

/// A gate, and one that must be on where it is on.
struct GateDependency {
  std::string_view gate;
  std::string_view needs;
};

/// All gates, by name.
[[nodiscard]] std::span<const FeatureGate> known_feature_gates();
[[nodiscard]] std::span<const GateDependency> gate_dependencies();

/// Reads the values of --feature-gates: "[kube:]Name=bool,…"; the last value of a gate counts.
/// kInvalid, in upstream's words: a value is missing or malformed, or some names have a component
/// and others have none.
[[nodiscard]] Result<GateSettings> parse_feature_gates(std::span<const std::string> values);

/// One line for each mistake: an unknown gate, another value for a locked one, and a gate that is
/// on without those that it depends on.
[[nodiscard]] std::vector<std::string> check_feature_gates(const GateSettings& settings);

/// Whether the gate is on: its own setting, else that of its stage, else its default. A gate that
/// is unknown is off.
[[nodiscard]] bool is_gate_on(std::string_view name, const GateSettings& settings);

/// Whether the settings decide about the gate, by its name or by its stage.
[[nodiscard]] bool is_gate_set(std::string_view name, const GateSettings& settings);

/// One line for each gate that is set and has no effect in davit, or will be removed upstream.
[[nodiscard]] std::vector<std::string> gate_warnings(const GateSettings& settings);

}  // namespace davit::host

#include "host/config/feature_gates.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "lib/base/json_text.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

using Stage = FeatureGate::Stage;

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";
constexpr std::string_view kComponent = "kube:";

/// The gates that decide about a controller of davit; merge() lays them over its configuration.
constexpr std::string_view kEffective[] = {"ClusterTrustBundle",
                                           "DeploymentReplicaSetTerminatingReplicas",
                                           "DRADeviceTaintRules",
                                           "DRADeviceTaints",
                                           "DRAPrioritizedList",
                                           "DRAResourcePoolStatus",
                                           "DRAWorkloadResourceClaims",
                                           "GenericWorkload",
                                           "HPAConfigurableTolerance",
                                           "HPAScaleToZero",
                                           "MaxUnavailableStatefulSet",
                                           "PodCertificateRequest",
                                           "PodLevelResources",
                                           "StorageVersionAPI",
                                           "PersistentVolumeClaimUnusedSinceTime",
                                           "StorageVersionMigrator"};

const FeatureGate* find_gate(std::string_view name) {
  const std::span<const FeatureGate> gates = known_feature_gates();
  const auto found = std::ranges::find(gates, name, &FeatureGate::name);
  return found == gates.end() ? nullptr : &*found;
}

/// The setting that decides about a gate, or nothing.
std::optional<bool> setting_of(const FeatureGate& gate, const GateSettings& settings) {
  auto found = settings.find(std::string(gate.name));
  if (found == settings.end() && gate.stage == Stage::kAlpha) {
    found = settings.find(std::string(kAllAlpha));
  }
  if (found == settings.end() && gate.stage == Stage::kBeta) {
    found = settings.find(std::string(kAllBeta));
  }
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> parse_gate_value(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

Status invalid_gates(std::string text) {
  return {Code::kInvalid, "--feature-gates: " + std::move(text)};
}

std::string unknown_gate(const std::string& name) {
  std::vector<std::string> known;
  for (const FeatureGate& each : known_feature_gates()) known.emplace_back(each.name);
  const std::string meant = nearest(name, known);
  return "unrecognized feature gate: " + name +
         (meant.empty() ? "" : "; did you mean " + meant + "?");
}

std::string_view word(bool value) { return value ? "true" : "false"; }

}  // namespace

Result<GateSettings> parse_feature_gates(std::span<const std::string> values) {
  GateSettings out;
  bool with_component = false;
  bool without = false;
  for (const std::string& value : values) {
    for (std::string_view rest = value; !rest.empty();) {
      std::string_view item = take_until(rest, ",");
      while (item.starts_with(' ')) item.remove_prefix(1);
      if (item.empty()) continue;
      const bool prefixed = item.starts_with(kComponent);
      (prefixed ? with_component : without) = true;
      if (prefixed) item.remove_prefix(kComponent.size());
      const std::string name(item.substr(0, item.find('=')));
      if (name.find(':') != std::string::npos) {
        return invalid_gates("component not registered: " + name.substr(0, name.find(':')));
      }
      if (name.size() == item.size()) return invalid_gates("missing bool value for " + name);
      const std::optional<bool> on = parse_gate_value(item.substr(name.size() + 1));
      if (!on) return invalid_gates("invalid value of " + std::string(item) + ": true or false");
      out[name] = *on;
    }
  }
  if (!with_component || !without) return out;
  return invalid_gates(
      "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix "
      "use");
}

std::vector<std::string> check_feature_gates(const GateSettings& settings) {
  std::vector<std::string> out;
  for (const auto& [name, on] : settings) {
    const FeatureGate* const gate = find_gate(name);
    if (gate == nullptr) {
      out.push_back(unknown_gate(name));
    } else if (gate->lock == FeatureGate::Lock::kLocked && on != gate->fallback) {
      out.push_back("cannot set feature gate " + name + " to " + std::string(word(on)) +
                    ", feature is locked to " + std::string(word(gate->fallback)));
    }
  }
  for (const GateDependency& each : gate_dependencies()) {
    if (!is_gate_on(each.gate, settings) || is_gate_on(each.needs, settings)) continue;
    out.push_back(std::string(each.gate) + " is enabled, but depends on features that are " +
                  "disabled: [" + std::string(each.needs) + "]");
  }
  return out;
}

bool is_gate_on(std::string_view name, const GateSettings& settings) {
  const FeatureGate* const gate = find_gate(name);
  return gate != nullptr && setting_of(*gate, settings).value_or(gate->fallback);
}

bool is_gate_set(std::string_view name, const GateSettings& settings) {
  const FeatureGate* const gate = find_gate(name);
  return gate != nullptr && setting_of(*gate, settings).has_value();
}

std::vector<std::string> gate_warnings(const GateSettings& settings) {
  std::vector<std::string> out;
  for (const auto& [name, on] : settings) {
    const FeatureGate* const gate = find_gate(name);
    if (gate == nullptr || name == kAllAlpha || name == kAllBeta) continue;
    if (gate->stage == Stage::kGa || gate->stage == Stage::kDeprecated) {
      out.push_back("feature gate " + name + " will be removed in a future release");
    } else if (on != gate->fallback &&
               std::ranges::find(kEffective, name) == std::end(kEffective)) {
      out.push_back("feature gate " + name + " has no effect: davit behaves as with " +
                    json_string(word(gate->fallback)));
    }
  }
  return out;
}

}  // namespace davit::host

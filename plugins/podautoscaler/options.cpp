#include "plugins/podautoscaler/options.hpp"

#include <charconv>
#include <davit/kube/signed_duration.hpp>
#include <davit/options.hpp>
#include <string>
#include <string_view>

#include "plugins/shared/gates/read_switch.hpp"

namespace davit::podautoscaler {
namespace {

constexpr std::string_view kPeriod = "horizontalPodAutoscalerSyncPeriod";
constexpr std::string_view kWindow = "horizontalPodAutoscalerDownscaleStabilizationWindow";
constexpr std::string_view kTolerance = "horizontalPodAutoscalerTolerance";
constexpr std::string_view kCpuPeriod = "horizontalPodAutoscalerCPUInitializationPeriod";
constexpr std::string_view kDelay = "horizontalPodAutoscalerInitialReadinessDelay";
constexpr std::string_view kScaleToZero = "scaleToZero";
constexpr std::string_view kConfigurableTolerance = "configurableTolerance";
constexpr std::string_view kPodLevelResources = "podLevelResources";

Status wrong(std::string_view name, std::string_view what) {
  return {Code::kInvalid, std::string(name) + " must be " + std::string(what)};
}

Status read_duration(Value config, std::string_view name, Duration& out) {
  const Value value = config[name];
  if (value.is_absent()) return {};
  const std::optional<Duration> read = parse_signed_duration(value.string());
  if (!read) return wrong(name, "a duration such as 15s");
  out = *read;
  return {};
}

Status read_tolerance(Value config, Tolerance& out) {
  const Value value = config[kTolerance];
  if (value.is_absent()) return {};
  const std::string_view text = value.number();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return wrong(kTolerance, "a number");
  }
  out = {number, number};
  return {};
}

Status read_gate(Value config, std::string_view name, bool& out) {
  const Result<bool> on = gates::read_switch(config, name, out);
  if (!on) return on.error();
  out = *on;
  return {};
}

}  // namespace

Result<Options> read_options(Value config) {
  Options out;
  for (const Status& each :
       {check_options(config, {kPeriod, kWindow, kTolerance, kCpuPeriod, kDelay, kScaleToZero,
                               kConfigurableTolerance, kPodLevelResources}),
        read_duration(config, kPeriod, out.period),
        read_duration(config, kWindow, out.downscale_window),
        read_duration(config, kCpuPeriod, out.calculator.cpu_initialization),
        read_duration(config, kDelay, out.calculator.initial_readiness_delay),
        read_tolerance(config, out.calculator.tolerance),
        read_gate(config, kScaleToZero, out.scale_to_zero),
        read_gate(config, kConfigurableTolerance, out.configurable_tolerance),
        read_gate(config, kPodLevelResources, out.pod_level_resources)}) {
    if (!each.ok()) return each;
  }
  return out;
}

}  // namespace davit::podautoscaler

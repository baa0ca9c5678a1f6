#include "host/control/state_text.hpp"

#include <cstdio>
#include <davit/kube/time.hpp>

#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

std::string plugin_text(const PluginState& plugin) {
  std::string out = plugin.name + " " + plugin.build.version + ", generation " +
                    std::to_string(plugin.build.generation) + ", build " +
                    plugin.build.digest.substr(0, 12) + ", " +
                    std::string(to_string(plugin.grade)) + "\n";
  if (plugin.probation > Duration::zero()) {
    out.back() = ',';
    out += " on probation for another " + milliseconds_text(plugin.probation) + "\n";
  }
  if (plugin.shadow) {
    out += "  in its shadow: " + plugin.shadow->version + ", generation " +
           std::to_string(plugin.shadow->generation) + ", build " +
           plugin.shadow->digest.substr(0, 12) + " (davit ctl shadow " + plugin.name + ")\n";
  }
  return out;
}

std::string kibibytes_text(std::size_t bytes) {
  constexpr double kKibi = 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f KiB", static_cast<double>(bytes) / kKibi);
  return text;
}

std::string controller_text(const ControllerState& controller) {
  std::string out = "  " + controller.name + " " + controller.state;
  if (controller.state != "off") out += ", " + std::to_string(controller.waiting) + " keys wait";
  if (controller.held.objects > 0) {
    out += ", holds " + std::to_string(controller.held.objects) + " objects of " +
           kibibytes_text(controller.held.object_bytes);
  }
  out += "\n";
  for (const FailingKey& each : controller.failing.keys) {
    out += "    fails: " + (each.key.empty() ? "a timer" : printable(each.key)) + ", " +
           std::to_string(each.failures) + " times since " + format_time(each.since) + ": " +
           printable(each.error) + "\n";
  }
  if (controller.failing.others > 0) {
    out += "    " + std::to_string(controller.failing.others) + " further keys fail\n";
  }
  return out;
}

}  // namespace

std::string state_text(const SetState& state, const std::vector<std::string>& notes) {
  std::string out;
  for (const PluginState& plugin : state.plugins) {
    out += plugin_text(plugin);
    for (const ControllerState& each : plugin.controllers) out += controller_text(each);
  }
  for (const Resident& each : state.residents) {
    out += "resident: " + each.plugin + " generation " + std::to_string(each.build.generation) +
           ": " + each.reason + "\n";
  }
  if (!state.busy.empty()) out += "under way: " + state.busy + "\n";
  for (const std::string& each : notes) out += each + "\n";
  if (!out.empty()) out.pop_back();
  return out;
}

std::string milliseconds_text(Duration time) {
  char text[32];
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  std::snprintf(text, sizeof text, "%.2f ms", static_cast<double>(micros) / 1000.0);
  return text;
}

}  // namespace davit::host

#include "host/crash/stuck_positions.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

namespace davit::host {
namespace {

constexpr Duration kSampledAgain = std::chrono::minutes(1);
/// The calls around the place that does not return: further ones are the SDK's.
constexpr std::size_t kFramesShown = 6;

/// "sync of default/web is in web.so at 0x1a2b, called from 0x19f0"
std::string position_of(const SampledCall& call) {
  std::string out = call.activity;
  if (!call.key.empty()) out += " of " + call.key;
  if (call.stack.empty()) return out + " is in code outside the plugin";
  out += " is in " + call.plugin + ".so at " + hex_offset(call.stack.front());
  for (std::size_t i = 1; i < call.stack.size() && i < kFramesShown; ++i) {
    out += (i == 1 ? ", called from " : ", ") + hex_offset(call.stack[i]);
  }
  return out;
}

/// Whether a line reports the call; other calls of the controller are under way and will return.
bool reports(std::string_view line, const SampledCall& call) {
  const std::string key = call.key.empty() ? "" : " " + call.key;
  return line.find(call.activity + key + " has been running") != std::string_view::npos;
}

}  // namespace

void StuckPositions::add_to(std::vector<std::string>& lines, Time now) {
  std::map<std::string, Sampled> still;
  for (std::string& line : lines) {
    const std::string controller = line.substr(0, line.find(": "));
    auto kept = sampled_.extract(controller);
    Sampled sampled = kept.empty() ? Sampled() : std::move(kept.mapped());
    if (kept.empty() || now - sampled.at >= kSampledAgain) {
      if (!sampler_) sampler_.emplace();
      sampled = {now, sampler_->calls_of(controller)};
    }
    const std::string reported = line;
    for (const SampledCall& each : sampled.calls) {
      if (reports(reported, each)) line += "; " + position_of(each);
    }
    still.emplace(controller, std::move(sampled));
  }
  sampled_ = std::move(still);
}

}  // namespace davit::host

#include "host/upstream/controllers.hpp"

#include <algorithm>

namespace davit::host {

std::string UpstreamController::without() const {
  return "davit has no " + std::string(name) + ": " + std::string(stops);
}

const UpstreamController* find_upstream_controller(std::string_view name) {
  if (name.empty()) return nullptr;
  const std::span<const UpstreamController> all = upstream_controllers();
  const auto found = std::ranges::find_if(
      all, [&](const UpstreamController& each) { return each.name == name || each.alias == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace davit::host

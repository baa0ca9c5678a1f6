#include "host/process/operator_orders.hpp"

#include <utility>

namespace davit::host {

DesiredState OperatorOrders::want(const DesiredState& desired) {
  SettingsByController settings;
  for (const DesiredPlugin& plugin : desired.plugins) {
    for (const DesiredController& each : plugin.controllers) {
      settings[each.name] = {each.workers, each.config};
    }
  }
  MutexLock lock(mutex_);
  settings_ = std::move(settings);
  return std::exchange(desired_, desired);
}

OperatorSettings OperatorOrders::settings_of(const std::string& controller) const {
  MutexLock lock(mutex_);
  const auto found = settings_.find(controller);
  return found == settings_.end() ? OperatorSettings() : found->second;
}

SettingsByController OperatorOrders::settings() const {
  MutexLock lock(mutex_);
  return settings_;
}

LoadOrder OperatorOrders::load_order(const std::filesystem::path& file) const {
  LoadOrder order{file};
  MutexLock lock(mutex_);
  if (const DesiredPlugin* const here = desired_.plugin_at(file)) {
    order.sha256 = here->sha256;
    order.controllers = here->enabled();
  } else {
    // The plugin's name is known once the loader has judged the bytes.
    order.pin = [this](const std::string& plugin) { return pin_of(plugin); };
  }
  return order;
}

std::string OperatorOrders::pin_of(const std::string& plugin) const {
  MutexLock lock(mutex_);
  const DesiredPlugin* const pinned = desired_.plugin_named(plugin);
  return pinned == nullptr ? std::string() : pinned->sha256;
}

}  // namespace davit::host

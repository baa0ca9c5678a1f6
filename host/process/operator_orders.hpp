/// The operator's orders to a running host: which controllers run, and with which settings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "host/process/desired_state.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The operator's settings of a controller, which apply to every build of it.
struct OperatorSettings {
  std::optional<std::uint32_t> workers;
  std::string config;
};

/// Their settings by the controllers' names.
using SettingsByController = std::map<std::string, OperatorSettings>;

/// First the settings of the plan apply, then those of the desired state. Thread-safe.
class OperatorOrders {
 public:
  explicit OperatorOrders(SettingsByController planned) : settings_(std::move(planned)) {}
  OperatorOrders(const OperatorOrders&) = delete;
  OperatorOrders& operator=(const OperatorOrders&) = delete;

  /// Replaces all orders; returns the state that applied before.
  DesiredState want(const DesiredState& desired) EXCLUDES(mutex_);

  /// Those of a controller, for builds that are made from now on.
  [[nodiscard]] OperatorSettings settings_of(const std::string& controller) const EXCLUDES(mutex_);
  [[nodiscard]] SettingsByController settings() const EXCLUDES(mutex_);

  /// The order to load a plugin's file, with the digest that the state pins it to and the
  /// controllers that it enables. A file outside the state is pinned by the name that its bytes
  /// declare, so neither another spelling of the path nor a copy of the file evades the pin. This
  /// must outlive the order.
  [[nodiscard]] LoadOrder load_order(const std::filesystem::path& file) const EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::string pin_of(const std::string& plugin) const EXCLUDES(mutex_);

  mutable Mutex mutex_;
  SettingsByController settings_ GUARDED_BY(mutex_);
  DesiredState desired_ GUARDED_BY(mutex_);  // Empty: not set.
};

}  // namespace davit::host

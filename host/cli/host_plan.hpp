/// Which controllers run: from settings to loaded plugins.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/host_process.hpp"
#include "host/cli/options.hpp"
#include "host/plugin/catalog.hpp"
#include "host/plugin/staging.hpp"

namespace davit::host {

/// The controllers that --controllers leaves, in the order of the plugins, with their settings.
/// They share the plugins' code: it leaves memory with the last of them.
class HostPlan {
 public:
  /// Loads the plugins. Nothing when there is a mistake; all are on `err` then, a line each.
  [[nodiscard]] static std::optional<HostPlan> make(const RunSettings& settings, std::ostream& err);

  [[nodiscard]] std::vector<PlannedController>& controllers() { return controllers_; }
  [[nodiscard]] const std::vector<std::string>& disabled() const { return disabled_; }

 private:
  Status add(const CatalogPlugin& plugin, const std::vector<std::string>& wanted,
             const RunSettings& settings, StagingDirectory& staging);

  std::vector<PlannedController> controllers_;
  std::vector<std::string> disabled_;
};

}  // namespace davit::host

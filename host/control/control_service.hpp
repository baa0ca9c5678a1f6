/// Answers the requests of `davit ctl` out of the set of plugins.
#pragma once

#include <string>
#include <string_view>

#include "host/swap/plugin_set.hpp"

namespace davit::host {

/// Thread-safe.
class ControlService {
 public:
  /// `plugins` must outlive this.
  explicit ControlService(PluginSet& plugins) : plugins_(plugins) {}

  /// The answer to a line, with its end. Blocks as long as what was asked for takes.
  [[nodiscard]] std::string answer(std::string_view line);

 private:
  PluginSet& plugins_;
};

}  // namespace davit::host

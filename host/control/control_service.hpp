/// Answers the requests of `davit ctl` out of the set of plugins.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/swap/plugin_set.hpp"
#include "host/why/why_request.hpp"

namespace davit::host {

/// Operations of the host that surrounds the set; thread-safe.
struct ControlHooks {
  /// Instead of PluginSet::load().
  std::function<SwapReport(const std::filesystem::path& file)> load = {};
  /// The answer to "why"; empty: there is none.
  std::function<Result<std::string>(const WhyRequest& request)> why = {};
  /// Lines for the status: notes for the operator although nothing fails.
  std::function<std::vector<std::string>()> notes = {};
  /// The document of status_json(), which the status has as the member `host`.
  std::function<std::string()> host = {};
};

/// Thread-safe.
class ControlService {
 public:
  /// `plugins` must outlive this.
  explicit ControlService(PluginSet& plugins, ControlHooks hooks = {})
      : plugins_(plugins), hooks_(std::move(hooks)) {}

  /// The response to a line, with its end. Blocks as long as what was asked for takes.
  [[nodiscard]] std::string respond(std::string_view line);

 private:
  PluginSet& plugins_;
  const ControlHooks hooks_;
};

}  // namespace davit::host

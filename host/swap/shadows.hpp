/// Builds that run in the shadow of those that serve.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <string>

#include "host/swap/build_preparation.hpp"
#include "host/swap/plugin_registry.hpp"
#include "host/swap/shadow.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Thread-safe. A shadow sees the same as the build that serves and writes nothing: the host
/// responds to its writes as the server would. A change of its plugin ends it.
class Shadows {
 public:
  /// The references outlive this.
  Shadows(PluginRegistry& registry, Retirement& retirement, BuildPreparation& preparation,
          Clock& clock, const SwapLimits& limits)
      : registry_(registry),
        retirement_(retirement),
        preparation_(preparation),
        clock_(clock),
        limits_(limits) {}
  Shadows(const Shadows&) = delete;
  Shadows& operator=(const Shadows&) = delete;

  /// Runs another build of a plugin beside the one that serves.
  [[nodiscard]] ShadowReport start(const SwapRequest& request);
  /// The writes that the shadow and the serving build intended since then.
  [[nodiscard]] ShadowReport compare(const std::string& plugin);
  [[nodiscard]] SwapReport drop(const std::string& plugin);
  /// The swap for exactly the build that runs in the shadow. kNotFound: there is none.
  [[nodiscard]] Result<SwapRequest> commit(const std::string& plugin);

  /// Ends a plugin's shadow, within an ExclusiveOperation; false when there is none. `resident`
  /// says why the build is still in memory, or is empty.
  bool end(const std::string& plugin, std::string& resident);
  /// The same; a shadow that stays in memory is only counted.
  void end(const std::string& plugin) {
    std::string ignored;
    (void)end(plugin, ignored);
  }

 private:
  [[nodiscard]] bool order(const SwapRequest& request, BuildOrder& out, ShadowReport& report);
  void begin(const std::string& plugin, std::unique_ptr<ShadowRun> run, ShadowReport& report);

  PluginRegistry& registry_;
  Retirement& retirement_;
  BuildPreparation& preparation_;
  Clock& clock_;
  const SwapLimits& limits_;
};

}  // namespace davit::host

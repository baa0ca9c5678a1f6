/// The controllers that are explored.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/loading/loader.hpp"
#include "host/loading/note.hpp"
#include "host/loading/staging.hpp"
#include "testing/explore/scenario.hpp"

namespace davit::explore {

/// Outlives every run.
struct Subject {
  struct Controller {
    std::string name;
    davit_init_fn init = nullptr;
    std::string config{};  ///< JSON text; empty: none.
  };

  host::PluginDeclaration declaration;  ///< With the controllers of all plugins.
  std::vector<Controller> controllers;  ///< Those that run, in the order of their start.
  std::string digest;                   ///< The sum of the plugins' files.
};

/// Plugins in this process.
class OpenPlugins {
 public:
  /// Stages, judges and opens a plugin, as the host does.
  Status open(const std::filesystem::path& file);
  /// The controllers of a scenario, which lives as long as this. kNotFound: a plugin or controller
  /// that the scenario names is not open.
  [[nodiscard]] Result<Subject> subject(const Scenario& scenario) const;

 private:
  std::unique_ptr<host::StagingDirectory> staging_;
  std::vector<std::unique_ptr<host::LoadedPlugin>> plugins_;
  std::vector<std::string> digests_;  // The sums of their files.
};

}  // namespace davit::explore

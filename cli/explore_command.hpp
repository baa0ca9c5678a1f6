/// `davit plugin explore`.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

/// The command line of `davit plugin explore`.
struct PluginExploreOptions {
  /// Whether results are printed for people, or as one JSON document.
  enum class Output { kText, kJson };

  std::string file;                    ///< The plugin.
  std::vector<std::string> configs{};  ///< See read_controller_configs().
  std::string definitions{};           ///< Folder of CustomResourceDefinitions; empty: none.
  std::string objects{};               ///< Folder of objects; empty: none.
  std::string scenario{};              ///< File of scenarios; empty: one is made.
  bool pairs = false;                  ///< Also two faults in one run.
  int minutes = 1;                     ///< No run begins later.
  std::chrono::seconds run_limit{30};  ///< See ExplorationOptions.
  std::string replay{};                ///< The line of a run; empty: all runs.
  Output output = Output::kText;
};

/// Tries a plugin with crashes, lost and wrong responses and old caches, in a child process.
/// Returns 0 when nothing was found, 1 when something was, 2 for usage mistakes and files that
/// cannot be read. A signal that ends it does so after nothing is left behind. The process must
/// have one thread only.
[[nodiscard]] int run_plugin_explore(const PluginExploreOptions& options, std::ostream& out,
                                     std::ostream& err);

}  // namespace davit::host

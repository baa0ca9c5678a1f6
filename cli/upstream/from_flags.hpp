/// `davit manifest from-flags`: the manifest that a command line of kube-controller-manager stands
/// for.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct FromFlagsOptions {
  std::string file;               ///< A pod's YAML; empty: `args`.
  std::vector<std::string> args;  ///< A command line, with or without the program.
};

/// A manifest's text, or what is wrong.
struct FromFlagsResult {
  std::string manifest;               ///< YAML with a comment for each flag.
  std::vector<std::string> warnings;  ///< One line for each flag without effect.
  std::vector<std::string> problems;  ///< One line for each mistake; then there is no manifest.
};

/// Pure but for the current directory, from which relative paths of files start.
[[nodiscard]] FromFlagsResult manifest_from_flags(const std::vector<std::string>& args);

/// Prints the manifest to `out`, warnings and mistakes to `err`; returns 0, or 2 after a mistake.
[[nodiscard]] int run_manifest_from_flags(const FromFlagsOptions& options, std::ostream& out,
                                          std::ostream& err);

}  // namespace davit::host

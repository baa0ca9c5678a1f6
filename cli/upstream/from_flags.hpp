/// `davit manifest from-flags`: the manifest that a command line of kube-controller-manager stands
/// for.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct FromFlagsOptions {
  std::string file;  ///< A pod's YAML; empty: `args` alone.
  /// A command line, with or without the program; with `file`: flags that win over the pod's.
  std::vector<std::string> args = {};
  enum class Output {
    kManifest,
    kRest,  ///< --rest: the kube-controller-manager that runs what davit does not have.
    kUnit,  ///< --unit: a drop-in for davit's systemd unit.
  };
  Output output = Output::kManifest;
};

/// The text that was asked for, or what is wrong.
struct FromFlagsResult {
  std::string text;
  std::vector<std::string> warnings;  ///< A line for each matter that the user has to know.
  std::vector<std::string> problems;  ///< One line for each mistake; then there is no text.
};

/// YAML with a comment for each flag, and for each controller that davit does not have. The
/// manifest has the Lease of the command line, so that davit and kube-controller-manager wait for
/// each other. Pure, except for the current directory, to which relative paths of files refer.
[[nodiscard]] FromFlagsResult manifest_from_flags(const std::vector<std::string>& args);

/// Prints the text to `out`, warnings and mistakes to `err`; returns 0, or 2 after a mistake.
[[nodiscard]] int run_manifest_from_flags(const FromFlagsOptions& options, std::ostream& out,
                                          std::ostream& err);

}  // namespace davit::host

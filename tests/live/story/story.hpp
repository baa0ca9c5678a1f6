/// The life of a namespace in a cluster whose only controller manager is davit: workloads,
/// Services, quotas and tokens are created, changed, and deleted by cascade.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/live/support/process.hpp"

namespace davit::live {

/// Runs kubectl as the cluster's administrator.
using Kubectl =
    std::function<Outcome(const std::vector<std::string>& args, const std::string& input)>;

/// Plays chapters in namespaces of their own. A chapter contains what the given plugins are
/// responsible for. Failures are those of the test.
class Story {
 public:
  /// `plugins`: those that davit runs. `nodes`: the number of Nodes.
  Story(Kubectl kubectl, std::set<std::string> plugins, int nodes)
      : kubectl_(std::move(kubectl)), plugins_(std::move(plugins)), nodes_(nodes) {}

  /// Creates everything, and waits until it is as it should be.
  void begin(const std::string& ns) const;
  /// Scales, rolls and edits, and waits again.
  void change(const std::string& ns) const;
  /// Waits until everything is as after change(), whatever has happened to controllers since.
  void await_changed(const std::string& ns) const;
  /// Deletes with each kind of cascade, then the namespace; waits until nothing is left.
  void end(const std::string& ns) const;

 private:
  struct Check;
  struct Part;
  static const Part kParts[];

  [[nodiscard]] bool has(const Part& part) const;
  /// `text` with the namespace and the number of Nodes put in.
  [[nodiscard]] std::string filled(std::string text, const std::string& ns) const;
  [[nodiscard]] std::string shown(const Check& check, const std::string& ns) const;
  void await(const Check& check, const std::string& ns) const;
  /// Succeeds also where the server is away for a while.
  void run(const std::string& ns, const std::string& words, const std::string& input = "") const;

  const Kubectl kubectl_;
  const std::set<std::string> plugins_;
  const int nodes_;
};

}  // namespace davit::live

/// `davit demo`: a rollout to look at, without a cluster.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct DemoOptions {
  std::vector<std::string> plugin_directories;  ///< Empty: the installed one.
  int replicas = 4;
};

/// Starts a cluster in this process, runs the Deployment and ReplicaSet controllers on it, creates
/// a Deployment, updates it and shows what happens. Ends by itself: 0, 1 when something does not
/// come to its end in time or a signal comes, 2 when the plugins are not to be had. Blocks.
[[nodiscard]] int run_demo(const DemoOptions& options, std::ostream& out, std::ostream& err);

}  // namespace davit::host

/// The parts of `davit dev` that run in separate processes. Internal to cli/dev.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/cluster_objects.hpp"
#include "cli/controller_config.hpp"
#include "cli/dev/dev_child.hpp"

namespace davit::host {

/// Whether there is a cluster to be found in the kubeconfig; the error is one line for the user.
[[nodiscard]] Status check_kubeconfig(const std::string& kubeconfig);

/// Files with what the sandbox shall contain; an empty path has none.
struct SandboxContent {
  std::filesystem::path definitions;  ///< CustomResourceDefinitions only.
  std::filesystem::path objects;

  [[nodiscard]] bool empty() const { return definitions.empty() && objects.empty(); }
  /// Everything in the order in which it is applied.
  [[nodiscard]] ClusterObjects read() const;
};

/// Reports "ready" when the cluster responds and has the content, or "failed" and why; ends with
/// its orders. The order "apply" applies the content as the files have it then. Each time reports
///   content N      the number of objects that the cluster has as the files say
///   mistake TEXT   for each object that it has not, and each file that cannot be read
void play_sandbox(const std::string& kubeconfig, const SandboxContent& content, LineReader& orders,
                  const LineWriter& reports);

/// Runs the plugin with all its controllers. Reports
///   ready CONTROLLERS | failed WHY     once
///   sync MONOTONIC_NS GENERATION KEY   when a sync has ended
///   write METHOD TARGET BODY           for each write
///   log TEXT                           for what the controllers log
///   warning TEXT | error TEXT          for each warning and error
///   stuck ACTIVITY SECONDS STACK KEY   for a call that does not end, see StuckCall
/// and after the order "swap" one of
///   swapped GENERATION TEXT            the new build serves
///   refused WHY                        the old build keeps serving
///   restart WHY                        a host that begins with the new build could run it
/// and ends with its orders, or with a "restart WHY" without an order: the API server was restored,
/// and this host writes nothing more.
void play_host(const std::filesystem::path& plugin, const std::string& kubeconfig,
               std::span<const ControllerConfig> configs, LineReader& orders,
               const LineWriter& reports);

}  // namespace davit::host

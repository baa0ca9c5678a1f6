/// `davit rbac`: the rights that a host with this manifest needs, for kubectl apply.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/plugin/note.hpp"

namespace davit::host {

struct RbacOptions {
  std::string manifest;                         ///< Empty: every installed plugin.
  std::string ns = "kube-system";               ///< The namespace of the ServiceAccount.
  std::string name = "davit";                   ///< The name of all objects that are printed.
  std::vector<std::string> plugin_directories;  ///< Win over the manifest's.
  enum class Accounts { kTheHosts, kOneEach };
  /// kOneEach: the roles of a host with useServiceAccountCredentials, whatever the
  /// manifest has.
  Accounts accounts = Accounts::kTheHosts;
  /// Subjects of the bindings instead of a ServiceAccount. Both empty: the user that the manifest's
  /// kubeconfig names in a client certificate or impersonates, else the ServiceAccount.
  std::vector<std::string> users;
  std::vector<std::string> groups;
};

/// Prints a ServiceAccount, unless others get the rights, a ClusterRole with what the enabled
/// controllers declared and the host itself needs, a Role in each namespace for the rights that are
/// limited to it and for the Lease, and the bindings; with accounts for the controllers, the same
/// for each of them. Returns 0, or 2 with a line per mistake.
[[nodiscard]] int run_rbac(const RbacOptions& options, std::ostream& out, std::ostream& err);

/// The YAML text for these controllers, whose configuration has been applied. Pure.
[[nodiscard]] std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                                    const LeaderElectionSettings& election,
                                    const RbacOptions& options);

}  // namespace davit::host

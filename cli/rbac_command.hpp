/// `davit rbac`: the rights that a host with this manifest needs, for kubectl apply or as a check.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/config/manifest.hpp"
#include "host/loading/note.hpp"
#include "host/process/needed_rights.hpp"

namespace davit::host {

struct RbacOptions {
  std::string manifest;                         ///< Empty: every installed plugin.
  std::string kubeconfig;                       ///< Wins over the manifest's.
  std::string ns = "kube-system";               ///< The namespace of the ServiceAccount.
  std::string name = "davit";                   ///< The name of all objects that are printed.
  std::vector<std::string> plugin_directories;  ///< Win over the manifest's.
  /// kOneEach: the roles of a host with useServiceAccountCredentials, regardless of the manifest.
  Accounts accounts = Accounts::kTheHosts;
  /// Subjects of the bindings instead of a ServiceAccount. Both empty: the user that the manifest's
  /// kubeconfig names in a client certificate or impersonates, else the ServiceAccount.
  std::vector<std::string> users;
  std::vector<std::string> groups;
  enum class Do {
    kPrint,
    kCheck,  ///< Prints the rights that the identities of the manifest lack.
  };
  Do what = Do::kPrint;
};

/// Prints a ServiceAccount, unless others get the rights, a ClusterRole with what the enabled
/// controllers declared and the host itself needs, a Role in each namespace for the rights that are
/// limited to it and for the Lease, and the bindings; with accounts for the controllers, the same
/// for each of them. Returns 0, or 2 with a line per mistake. With kCheck returns what
/// check_rights() does.
[[nodiscard]] int run_rbac(const RbacOptions& options, std::ostream& out, std::ostream& err);

/// The YAML text for these controllers, whose configuration has been applied. Pure.
[[nodiscard]] std::string rbac_yaml(const std::vector<DeclaredController>& controllers,
                                    const LeaderElectionSettings& election,
                                    const RbacOptions& options);

/// The client of an account, which lives as long as the check; "" is the host's.
using ClientOfAccount = std::function<RestClient&(const std::string& account)>;

/// Reviews the rights of each account. Returns 0 if all are there. Else prints those that are
/// missing as rules of roles, says on `err` which accounts could not be reviewed, and returns 1.
[[nodiscard]] int check_rights(const std::map<std::string, RightsByNamespace>& rights,
                               const ClientOfAccount& client_of, std::ostream& out,
                               std::ostream& err);

}  // namespace davit::host

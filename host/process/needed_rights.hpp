/// The rights that a host and its controllers need: what `davit rbac` prints and what a running
/// host reviews. Pure.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/loading/note.hpp"

namespace davit::host {

/// Whose identity a controller's requests have.
enum class Accounts {
  kTheHosts,
  kOneEach,  ///< With --use-service-account-credentials: its own ServiceAccount.
};

/// The objects of a rule, without its verbs.
struct RightsObject {
  std::string group;
  std::string resource;                 ///< "pods", "deployments/status", "*", "*/scale".
  std::vector<std::string> names = {};  ///< Empty: all.

  auto operator<=>(const RightsObject&) const = default;
};

/// The rights in one namespace, or of the cluster.
struct Rights {
  std::map<RightsObject, std::set<std::string>> verbs;
  std::map<std::string, std::set<std::string>> url_verbs;
};

/// The key is the namespace; "" is the cluster.
using RightsByNamespace = std::map<std::string, Rights>;

/// The settings that the rights depend on.
struct RightsTerms {
  Accounts accounts = Accounts::kTheHosts;
  LeaderElectionSettings election = {};
};

/// The rights of each account, a ServiceAccount of kube-system; "" is the host's own identity. The
/// host lists and watches for all controllers, also for those that write with their own
/// account. The configuration of the controllers has been applied.
[[nodiscard]] std::map<std::string, RightsByNamespace> needed_rights(
    const std::vector<DeclaredController>& controllers, const RightsTerms& terms);

/// One right, as an access review asks for it.
struct Right {
  std::string ns;  ///< Empty: the cluster.
  std::string group;
  std::string resource;  ///< As in RightsObject; empty: a URL.
  std::string name;      ///< Empty: all objects.
  std::string url;       ///< A path that belongs to no resource.
  std::string verb;

  auto operator<=>(const Right&) const = default;
};

/// Each right by itself.
[[nodiscard]] std::set<Right> rights_of(const RightsByNamespace& rights);
/// The same put together again.
[[nodiscard]] RightsByNamespace joined(const std::set<Right>& rights);

/// The owner of the rights that the host itself needs, beside the names of controllers.
inline constexpr std::string_view kRightsOfTheHost = "davit";

/// The rights that each account needs, and which controllers need them.
using RightsOwners = std::map<Right, std::set<std::string>>;
[[nodiscard]] std::map<std::string, RightsOwners> owners_of_rights(
    const std::vector<DeclaredController>& controllers, const RightsTerms& terms);

}  // namespace davit::host

/// A compact notation for the roles that every cluster has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit::sandbox {

inline constexpr std::string_view kRead = "get,list,watch";

/// A rule as its author thinks of it: lists with commas. "core" is the group without a name.
struct BootstrapRule {
  std::string_view verbs;
  std::string_view groups;
  std::string_view resources;
  std::string_view names = "";
};

/// A ClusterRole and, if subjects are named, the ClusterRoleBinding of the same name.
struct BootstrapRole {
  std::string name;
  std::vector<BootstrapRule> rules;
  std::string_view urls = "";
  std::string subjects = "";  ///< "Group:system:authenticated", "User:…", "Account:ns/name"
};

/// The roles of kube-controller-manager's controllers, for its --use-service-account-credentials.
[[nodiscard]] std::vector<BootstrapRole> controller_roles();

}  // namespace davit::sandbox

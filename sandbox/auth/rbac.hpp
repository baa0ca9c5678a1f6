/// Roles and bindings of the store, as decisions.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/auth/auth.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// system:masters may do everything; others what the roles and bindings in `store` say, aggregated
/// ClusterRoles included. Reads them again when they have changed. `store` is borrowed.
[[nodiscard]] std::unique_ptr<Authorizer> make_rbac_authorizer(Store& store);
/// Everybody may do everything.
[[nodiscard]] std::unique_ptr<Authorizer> make_permissive_authorizer();

/// The roles and bindings that every cluster has, for an empty store: without uid and times.
[[nodiscard]] std::vector<std::pair<Collection, Json>> bootstrap_policy();
/// The ClusterRole that lets view, edit and admin read the usage of pods and nodes.
[[nodiscard]] std::pair<Collection, Json> metrics_reader_role();

}  // namespace davit::sandbox

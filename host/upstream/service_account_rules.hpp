/// kube-controller-manager's special treatment of the controllers of ServiceAccounts. Pure.
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

/// The controller that --controllers cannot switch off once it is configured.
inline constexpr std::string_view kTokenController = "serviceaccount-token-controller";
/// The member of its configuration without which it does not run.
inline constexpr std::string_view kTokenKeyFile = "serviceAccountKeyFile";

/// Whether the controller runs regardless of --controllers: the token controller with a key file in
/// its configuration, which is JSON text. Rule: docs/spec/host.md, 4.4.
[[nodiscard]] bool ignores_controllers_flag(std::string_view controller, std::string_view config);

/// The controller's configuration, and in it, as `rootCA`, the CA data of the client's
/// configuration, if the controller hands out a root CA and its own configuration has none. Empty
/// `ca_data` changes nothing. Rule: docs/spec/serviceaccount.md, part B, Bundle.
[[nodiscard]] std::string with_root_ca(std::string_view controller, std::string config,
                                       const std::string& ca_data);

}  // namespace davit::host

/// The names under which kube-controller-manager's controllers are clients of the API server. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/loading/note.hpp"

namespace davit::host {

/// The client of a controller: the end of its user agent, and its ServiceAccount in kube-system
/// with
/// --use-service-account-credentials. Mostly its client name; some of upstream's controllers record
/// Events under another name than that of their client. Rule: docs/spec/host.md, 5.3.
[[nodiscard]] std::string upstream_client(const DeclaredController& declared);

/// Whether the client acts as its own ServiceAccount where the others do. The controller of
/// ServiceAccount tokens keeps the host's identity: the others depend on it. Rule:
/// docs/spec/host.md, section 6.
[[nodiscard]] bool has_own_account(std::string_view client);

}  // namespace davit::host

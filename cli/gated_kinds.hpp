/// The kinds of the sandbox that kube-apiserver has behind feature gates only.
#pragma once

#include <davit/result.hpp>
#include <string>

#include "host/config/feature_gates.hpp"
#include "lib/net/http_message.hpp"

namespace davit::host {

/// Makes the sandbox serve StorageVersionMigrations if the gate StorageVersionMigrator is on, and
/// StorageVersions if StorageVersionAPI is: as custom resources, which a cluster of a data file may
/// have already. `server` handles each request at once.
[[nodiscard]] Status define_gated_kinds(HttpHandler& server, const std::string& admin_token,
                                        const GateSettings& gates);

}  // namespace davit::host

/// The signatures in the ConfigMap cluster-info. Pure. Rule: docs/spec/certificates.md, D3.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

/// Keys of `data`, such as "jws-kubeconfig-abcdef", and their signatures.
using Signatures = std::map<std::string, std::string, std::less<>>;

/// The key of a token's signature.
[[nodiscard]] std::string signature_key(std::string_view id);

/// The merge patch after which the ConfigMap has exactly the signatures `wanted`; empty: nothing to
/// do. The server refuses it with 409 if the ConfigMap has changed.
[[nodiscard]] std::string signatures_patch(const ConfigMap& info, const Signatures& wanted);

}  // namespace davit::bootstrap

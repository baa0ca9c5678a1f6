/// A certificate and its key, as a server of TLS needs them.
#pragma once

#include <string>

#include "lib/net/certificates.hpp"

namespace davit {

/// Why the first certificate of a text and the first key of the other do not belong together, or ""
/// if they do. The words are those of Go's X509KeyPair, which kube-apiserver warns with. Pure.
[[nodiscard]] std::string key_pair_problem(const KeyPair& pair);

}  // namespace davit

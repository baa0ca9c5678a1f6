/// Credentials of a sandbox and its user, made once and kept.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/net/certificates.hpp"

namespace davit::sandbox {

struct Credentials {
  KeyPair authority;
  KeyPair server;
  KeyPair admin;                       ///< A client certificate of system:masters.
  std::string admin_token;             ///< The same user where there is no TLS.
  std::string token_key;               ///< Signs tokens of ServiceAccounts.
  std::vector<std::string> addresses;  ///< That the server's certificate names.
  std::int64_t renew_at = 0;           ///< In seconds since 1970.
};

inline constexpr const char* kAdminUser = "kubernetes-admin";

/// A new set for a server at these IP addresses.
[[nodiscard]] Result<Credentials> make_credentials(std::vector<std::string> addresses,
                                                   WallTime now);

/// Those of an earlier start, if `file` has them, they name all `addresses` and are not about to
/// end; else new ones, which are kept there. The authority and the keys stay as long as they can,
/// so that kubeconfigs and tokens of earlier starts stay good. Only the user may read the file.
/// An unreadable file is replaced; kUnavailable when it cannot be written.
[[nodiscard]] Result<Credentials> keep_credentials(const std::string& file,
                                                   std::vector<std::string> addresses,
                                                   WallTime now);

/// Makes sure that `file` has a private key in PEM, which only the user may read; one that is there
/// stays, so that tokens of earlier starts stay good. kUnavailable when it cannot be written.
[[nodiscard]] Status keep_private_key(const std::string& file);

struct KubeconfigTarget {
  std::string server;  ///< "https://127.0.0.1:6443"
  std::string name;    ///< The name of cluster, user and context.
};
/// Makes its reader the administrator: by certificate over https, else by token.
[[nodiscard]] std::string admin_kubeconfig(const Credentials& credentials,
                                           const KubeconfigTarget& target);

}  // namespace davit::sandbox

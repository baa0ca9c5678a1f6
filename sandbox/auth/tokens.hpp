/// Bearer tokens: those of a file, and those of ServiceAccounts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

struct StaticToken {
  std::string token;
  UserInfo identity;
};

/// kube-apiserver's --token-auth-file: lines of `token,user,uid` and optionally `,"group1,group2"`.
/// kInvalid with the line's number.
[[nodiscard]] Result<std::vector<StaticToken>> parse_token_file(std::string_view text);

/// The object whose deletion invalidates a token: a Pod, Secret or Node.
struct BoundObject {
  std::string kind;
  std::string name;
  std::string uid;
  std::string node = {};      ///< The Pod's node, for readers of the token.
  std::string node_uid = {};  ///< Empty: the node is not there.
};

/// The content of a token to sign.
struct TokenGrant {
  std::string ns;
  std::string account;
  std::string account_uid;
  std::vector<std::string> audiences;  ///< Empty: the server's.
  std::optional<BoundObject> bound;
  std::chrono::seconds lifetime{3600};
};

/// Tokens of ServiceAccounts: JSON Web Tokens under a secret key (HS256), with the claims of the
/// real server's. Anyone who has the key can make them. Thread-safe; `store` and `clock` are
/// borrowed.
class ServiceAccountTokens {
 public:
  static constexpr std::string_view kIssuer = "https://kubernetes.default.svc.cluster.local";

  /// The same `key` takes the tokens of earlier runs.
  ServiceAccountTokens(const Store& store, const Clock& clock, std::string key);

  struct Issued {
    std::string token;
    WallTime expires;
  };
  [[nodiscard]] Issued issue(const TokenGrant& grant) const;
  /// Verifies that a token is signed, has not expired and is valid for one of `audiences` (empty:
  /// the server's), and that its account and bound object still exist. Otherwise kForbidden with
  /// the reason.
  ///
  /// A token that a Secret carries is compared with the Secret, byte for byte. Its signature does
  /// not count, because the sandbox does not know the keys of the controllers that fill Secrets.
  [[nodiscard]] Result<TokenIdentity> verify(std::string_view token,
                                             const std::vector<std::string>& audiences) const;

 private:
  [[nodiscard]] Result<TokenIdentity> verify_legacy(
      std::string_view token, const std::vector<std::string>& audiences) const;

  const Store& store_;
  const Clock& clock_;
  const std::string key_;
  // Only its own value counts, in no order with anything else.
  mutable std::atomic<std::uint64_t> issued_ = 0;
};

/// "system:serviceaccount:NS:NAME" with its groups.
[[nodiscard]] UserInfo service_account_identity(std::string_view ns, std::string_view name);

}  // namespace davit::sandbox

/// The requester's identity, and what it may do.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/user_info.hpp"
#include "lib/net/http_message.hpp"

namespace davit::sandbox {

/// A request's attributes as RBAC sees them (k8s.io/apiserver/pkg/authorization/authorizer).
struct AccessAttributes {
  std::string verb;  ///< "get" … "deletecollection"; the lower-cased method of a non-resource.
  bool resource = true;  ///< False: `path` counts, the rest does not.
  std::string group;
  std::string version;
  std::string name_of_resource;  ///< "pods"
  std::string subresource;
  std::string ns;
  std::string name;
  std::string path;
};

enum class Decision { kAllow, kNoOpinion };
struct Access {
  Decision decision = Decision::kNoOpinion;
  std::string reason;

  [[nodiscard]] bool allowed() const { return decision == Decision::kAllow; }
};

/// One rule of a Role, as the API has it.
struct PolicyRule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;
  std::vector<std::string> resources;  ///< "pods", "pods/log", "*/scale", "*"
  std::vector<std::string> names;      ///< Empty: all.
  std::vector<std::string> urls;       ///< Only in a ClusterRole: "/healthz", "/api/*".
};

/// The role that a binding names.
struct RoleReference {
  std::string kind;  ///< "Role" or "ClusterRole"
  std::string name;
  std::string ns;  ///< A Role's namespace.
};

/// A token's content, for a TokenReview.
struct TokenIdentity {
  UserInfo identity;
  std::vector<std::string> audiences;  ///< The requested audiences for which the token is valid.
};

/// Thread-safe; never blocks.
class Authenticator {
 public:
  Authenticator() = default;
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;
  virtual ~Authenticator() = default;

  /// Client certificate, then bearer token, then anonymous. kForbidden: present but unknown (401).
  [[nodiscard]] virtual Result<UserInfo> authenticate(const HttpServerRequest& request) const = 0;
  /// Checks `token` for `audiences` (empty: the server's). kForbidden if it is not valid.
  [[nodiscard]] virtual Result<TokenIdentity> review(
      std::string_view token, const std::vector<std::string>& audiences) const = 0;
};

/// Thread-safe; never blocks.
class Authorizer {
 public:
  Authorizer() = default;
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  virtual ~Authorizer() = default;

  [[nodiscard]] virtual Access authorize(const UserInfo& who,
                                         const AccessAttributes& what) const = 0;
  /// The rights of `who` in `ns`, cluster-wide rights included.
  [[nodiscard]] virtual std::vector<PolicyRule> rules(const UserInfo& who,
                                                      std::string_view ns) const = 0;
  /// The rules of `role`, aggregated ones included; nothing if the role does not exist.
  [[nodiscard]] virtual std::optional<std::vector<PolicyRule>> rules_of(
      const RoleReference& role) const = 0;
};

/// The text of a 403 after "forbidden: ": `User "alice" cannot get resource "pods" in API group ""
/// in the namespace "default"`, followed by a colon and `reason` if there is one.
[[nodiscard]] std::string denial(const UserInfo& who, const AccessAttributes& what,
                                 std::string_view reason = "");
/// The whole message of the 403: `pods "a" is forbidden: User "alice" cannot get resource "pods" in
/// API group "" in the namespace "default"`. Other than resources: `forbidden: …`.
[[nodiscard]] std::string forbidden_message(const UserInfo& who, const AccessAttributes& what,
                                            std::string_view reason = "");

/// Whom the Impersonate-* headers name, or `who` when there are none. kForbidden when he may not
/// (403), kInvalid when the headers do not make sense (400); the message is the body's.
[[nodiscard]] Result<UserInfo> impersonate(const HttpServerRequest& request, const UserInfo& who,
                                           const Authorizer& authorizer);

}  // namespace davit::sandbox

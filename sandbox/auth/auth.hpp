/// Who asks, and whether he may.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/rest/exchange.hpp"

namespace davit::sandbox {

/// authentication.k8s.io UserInfo.
struct Identity {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

/// What a request wants to do, as RBAC sees it (k8s.io/apiserver/pkg/authorization/authorizer).
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
};

/// Thread-safe; never blocks.
class Authenticator {
 public:
  Authenticator() = default;
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;
  virtual ~Authenticator() = default;

  /// Client certificate, then bearer token, then anonymous. kForbidden: present but unknown (401).
  [[nodiscard]] virtual Result<Identity> authenticate(const Request& request) const = 0;
};

/// Thread-safe; never blocks.
class Authorizer {
 public:
  Authorizer() = default;
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  virtual ~Authorizer() = default;

  [[nodiscard]] virtual Access authorize(const Identity& who,
                                         const AccessAttributes& what) const = 0;
};

}  // namespace davit::sandbox

/// Users for tests: a header names the user, and only the admin has rights.
#pragma once

#include <string>
#include <vector>

#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

class HeaderUsers final : public Authenticator {
 public:
  Result<Identity> authenticate(const HttpServerRequest& request) const override {
    Identity who;
    who.user = request.header("Test-User");
    if (who.user.empty()) return Status(Code::kForbidden, "unknown");
    return who;
  }
  Result<TokenIdentity> review(std::string_view, const std::vector<std::string>&) const override {
    return Status(Code::kForbidden, "unknown");
  }
};

}  // namespace davit::sandbox

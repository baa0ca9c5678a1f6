/// Users for tests: a header names the user, and only the admin has rights.
#pragma once

#include <string>
#include <vector>

#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

class HeaderUsers final : public Authenticator {
 public:
  Result<UserInfo> authenticate(const HttpServerRequest& request) const override {
    UserInfo who;
    who.name = request.header("Test-User");
    if (who.name.empty()) return Status(Code::kForbidden, "unknown");
    return who;
  }
  Result<TokenIdentity> review(std::string_view, const std::vector<std::string>&) const override {
    return Status(Code::kForbidden, "unknown");
  }
};

}  // namespace davit::sandbox

/// Users for tests: whoever a header names, and only the admin may do anything.
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

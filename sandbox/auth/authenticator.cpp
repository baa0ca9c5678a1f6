#include "sandbox/auth/authenticator.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace davit::sandbox {
namespace {

Status refused() { return {Code::kForbidden, "invalid bearer token"}; }

UserInfo authenticated(UserInfo identity) {
  if (!identity.in_group(kAuthenticatedGroup)) {
    identity.groups.emplace_back(kAuthenticatedGroup);
  }
  return identity;
}

/// The token in "Bearer <token>"; "" if there is none.
std::string_view bearer_token(std::string_view header) {
  constexpr std::string_view kScheme = "bearer";
  while (header.starts_with(' ')) header.remove_prefix(1);
  const std::size_t space = std::min(header.find(' '), header.size());
  const bool bearer =
      std::equal(header.begin(), header.begin() + static_cast<long>(space), kScheme.begin(),
                 kScheme.end(), [](char a, char b) { return (a | 0x20) == b; });
  if (!bearer || space == header.size()) return {};
  header.remove_prefix(space + 1);
  return header.substr(0, header.find(' '));
}

class CredentialAuthenticator final : public Authenticator {
 public:
  CredentialAuthenticator(AuthenticatorOptions options, const ServiceAccountTokens* accounts,
                          const BootstrapTokens* bootstrap)
      : anonymous_(options.anonymous), accounts_(accounts), bootstrap_(bootstrap) {
    for (StaticToken& each : options.tokens) {
      tokens_.insert_or_assign(std::move(each.token), std::move(each.identity));
    }
  }

  [[nodiscard]] Result<UserInfo> authenticate(const HttpServerRequest& request) const override {
    const bool trusted = request.peer && request.peer->trusted;
    if (trusted && !request.peer->common_name.empty()) {
      UserInfo identity;
      identity.name = request.peer->common_name;
      identity.groups = request.peer->organizations;
      return authenticated(std::move(identity));
    }
    const std::string_view token = bearer_token(request.header("Authorization"));
    if (!token.empty()) {
      Result<TokenIdentity> known = review(token, {});
      if (!known) return known.error();
      return std::move(known->identity);
    }
    if (request.peer && !trusted) {
      return Status(Code::kForbidden, "certificate signed by unknown authority");
    }
    if (anonymous_ == Anonymous::kRefused) return Status(Code::kForbidden, "no credentials");
    UserInfo identity;
    if (anonymous_ == Anonymous::kAdministrator) {
      identity.name = "system:unsecured";
      identity.groups = {std::string(kMastersGroup)};
      return authenticated(std::move(identity));
    }
    identity.name = kAnonymousUser;
    identity.groups = {std::string(kUnauthenticatedGroup)};
    return identity;
  }

  [[nodiscard]] Result<TokenIdentity> review(
      std::string_view token, const std::vector<std::string>& audiences) const override {
    const auto found = tokens_.find(std::string(token));
    if (found != tokens_.end()) return for_server(found->second, audiences);
    if (bootstrap_ != nullptr && BootstrapTokens::is_one(token)) {
      std::optional<UserInfo> known = bootstrap_->verify(token);
      if (!known) return refused();
      return for_server(std::move(*known), audiences);
    }
    if (accounts_ == nullptr) return refused();
    Result<TokenIdentity> known = accounts_->verify(token, audiences);
    if (known) known->identity = authenticated(std::move(known->identity));
    return known;
  }

 private:
  /// The identity of a token that is known by its text alone: it is good for the server only.
  static Result<TokenIdentity> for_server(UserInfo identity,
                                          const std::vector<std::string>& audiences) {
    const std::string server(ServiceAccountTokens::kIssuer);
    if (!audiences.empty() &&
        std::find(audiences.begin(), audiences.end(), server) == audiences.end()) {
      return refused();
    }
    return TokenIdentity{authenticated(std::move(identity)), {server}};
  }

  const Anonymous anonymous_;
  const ServiceAccountTokens* const accounts_;
  const BootstrapTokens* const bootstrap_;
  std::unordered_map<std::string, UserInfo> tokens_;  // Not changed any more.
};

class FixedAuthenticator final : public Authenticator {
 public:
  explicit FixedAuthenticator(UserInfo identity) : identity_(std::move(identity)) {}

  [[nodiscard]] Result<UserInfo> authenticate(const HttpServerRequest&) const override {
    return identity_;
  }
  [[nodiscard]] Result<TokenIdentity> review(std::string_view,
                                             const std::vector<std::string>&) const override {
    return refused();
  }

 private:
  const UserInfo identity_;
};

}  // namespace

std::unique_ptr<Authenticator> make_authenticator(AuthenticatorOptions options,
                                                  const ServiceAccountTokens* accounts,
                                                  const BootstrapTokens* bootstrap) {
  return std::make_unique<CredentialAuthenticator>(std::move(options), accounts, bootstrap);
}

std::unique_ptr<Authenticator> make_fixed_authenticator(UserInfo identity) {
  return std::make_unique<FixedAuthenticator>(std::move(identity));
}

}  // namespace davit::sandbox

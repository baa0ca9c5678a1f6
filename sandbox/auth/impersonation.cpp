#include <algorithm>
#include <davit/percent_code.hpp>
#include <optional>

#include "lib/base/lower_case.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/auth/tokens.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr const char* kAuthenticationGroup = "authentication.k8s.io";

/// "%2f" stands for a slash in the key of a header. A malformed key stays as it is, as upstream's
/// unescapeExtraKey() leaves it.
std::string unescaped(std::string_view text) {
  return percent_unescaped(text).value_or(std::string(text));
}

struct ImpersonationHeaders {
  std::optional<std::string> user;
  UserInfo identity;

  [[nodiscard]] bool anything() const {
    return user || !identity.uid.empty() || !identity.groups.empty() || !identity.extra.empty();
  }
};

ImpersonationHeaders read_headers(const HttpServerRequest& request) {
  ImpersonationHeaders out;
  for (const auto& [name, value] : request.headers) {
    const std::string key = lower_case(name);
    if (!key.starts_with("impersonate-")) continue;
    if (key == "impersonate-user" && !value.empty()) out.user = value;
    if (key == "impersonate-uid") out.identity.uid = value;
    if (key == "impersonate-group") out.identity.groups.push_back(value);
    if (!key.starts_with(kExtraPrefix)) continue;
    const std::string extra = unescaped(key.substr(kExtraPrefix.size()));
    auto& all = out.identity.extra;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == extra; });
    auto& values = known == all.end() ? all.emplace_back(extra, std::vector<std::string>()).second
                                      : known->second;
    values.push_back(value);
  }
  return out;
}

AccessAttributes to_be(std::string resource, std::string name) {
  AccessAttributes what;
  what.verb = "impersonate";
  what.version = "v1";
  what.name_of_resource = std::move(resource);
  what.name = std::move(name);
  return what;
}

/// The namespace and name in a ServiceAccount's user name.
std::optional<std::pair<std::string, std::string>> account_of(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  user.remove_prefix(kAccountPrefix.size());
  const std::size_t colon = user.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == user.size()) {
    return std::nullopt;
  }
  return std::pair(std::string(user.substr(0, colon)), std::string(user.substr(colon + 1)));
}

/// Everything that has to be allowed.
std::vector<AccessAttributes> claims(const ImpersonationHeaders& wanted) {
  std::vector<AccessAttributes> out;
  if (const auto account = account_of(*wanted.user)) {
    out.push_back(to_be("serviceaccounts", account->second));
    out.back().ns = account->first;
  } else {
    out.push_back(to_be("users", *wanted.user));
  }
  for (const std::string& each : wanted.identity.groups) out.push_back(to_be("groups", each));
  if (!wanted.identity.uid.empty()) {
    out.push_back(to_be("uids", wanted.identity.uid));
    out.back().group = kAuthenticationGroup;
  }
  for (const auto& [key, values] : wanted.identity.extra) {
    for (const std::string& each : values) {
      out.push_back(to_be("userextras", each));
      out.back().group = kAuthenticationGroup;
      out.back().subresource = key;
    }
  }
  return out;
}

}  // namespace

Result<UserInfo> impersonate(const HttpServerRequest& request, const UserInfo& who,
                             const Authorizer& authorizer) {
  ImpersonationHeaders wanted = read_headers(request);
  if (!wanted.anything()) return who;
  if (!wanted.user) {
    return Status(Code::kInvalid, "requested impersonation without impersonating a user");
  }
  for (const AccessAttributes& what : claims(wanted)) {
    const Access access = authorizer.authorize(who, what);
    if (!access.allowed()) {
      return Status(Code::kForbidden, forbidden_message(who, what, access.reason));
    }
  }
  UserInfo out = std::move(wanted.identity);
  out.name = *wanted.user;
  if (const auto account = account_of(out.name); account && out.groups.empty()) {
    out.groups = service_account_identity(account->first, account->second).groups;
  }
  const std::string_view added =
      out.name == kAnonymousUser ? kUnauthenticatedGroup : kAuthenticatedGroup;
  if (!out.in_group(kAuthenticatedGroup) && !out.in_group(kUnauthenticatedGroup)) {
    out.groups.emplace_back(added);
  }
  return out;
}

}  // namespace davit::sandbox

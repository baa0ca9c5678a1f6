#include "sandbox/auth/bootstrap_tokens.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <davit/base64.hpp>
#include <davit/kube/bootstrap_token.hpp>
#include <optional>
#include <string>

#include "lib/kube/json.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kSecretSize = 16;
constexpr std::string_view kBootstrappers = "system:bootstrappers";
constexpr std::size_t kGroupBytesMax = 256;  ///< After "system:bootstrappers:".

std::string value_of(const Json& secret, std::string_view key) {
  return decode_base64(secret.get("data").get(key).text()).value_or("");
}

bool has_expired(const Json& secret, WallTime now) {
  if (secret.get("data").get("expiration").text().empty()) return false;
  return BootstrapTokenExpiration::parse(value_of(secret, "expiration")).is_over(now);
}

bool is_bootstrap_group(std::string_view group) {
  const std::string prefix = std::string(kBootstrappers) + ":";
  if (!group.starts_with(prefix)) return false;
  const std::string_view rest = group.substr(prefix.size());
  const auto is_good = [](char c) { return is_bootstrap_token_part({&c, 1}, 1); };
  return !rest.empty() && rest.size() <= kGroupBytesMax && is_good(rest.back()) &&
         std::ranges::all_of(rest, [&](char c) { return is_good(c) || c == ':' || c == '-'; });
}

/// system:bootstrappers and the Secret's; nothing: one of them is no such group.
std::optional<std::vector<std::string>> groups_of(const Json& secret) {
  std::vector<std::string> out = {std::string(kBootstrappers)};
  const std::string text = value_of(secret, "auth-extra-groups");
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string group = text.substr(begin, end - begin);
    if (!is_bootstrap_group(group)) return std::nullopt;
    out.push_back(std::move(group));
    begin = end + 1;
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Takes the same time wherever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

bool BootstrapTokens::is_one(std::string_view token) {
  const std::size_t dot = token.find('.');
  return dot != std::string_view::npos && is_bootstrap_token_id(token.substr(0, dot)) &&
         is_bootstrap_token_part(token.substr(dot + 1), kSecretSize);
}

std::optional<UserInfo> BootstrapTokens::verify(std::string_view token) const {
  if (!is_one(token)) return std::nullopt;
  const std::string id(token.substr(0, token.find('.')));
  const VersionPtr stored =
      store_.get({"", "secrets"}, "kube-system", std::string(kBootstrapTokenPrefix) + id);
  if (stored == nullptr) return std::nullopt;
  const Json secret = stored->json();
  std::optional<std::vector<std::string>> groups = groups_of(secret);
  const bool good = groups && !secret.get("metadata").contains("deletionTimestamp") &&
                    secret.get("type").text() == kBootstrapTokenType &&
                    same_secret(value_of(secret, "token-secret"), token.substr(id.size() + 1)) &&
                    value_of(secret, "token-id") == id && !has_expired(secret, clock_.wall_now()) &&
                    value_of(secret, "usage-bootstrap-authentication") == "true";
  if (!good) return std::nullopt;
  UserInfo out;
  out.name = "system:bootstrap:" + id;
  out.groups = std::move(*groups);
  return out;
}

}  // namespace davit::sandbox

#include "plugins/serviceaccount/token_keys.hpp"

#include <davit/json_writer.hpp>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace davit::serviceaccount {
namespace {

constexpr std::string_view kName = "name";
constexpr std::string_view kUid = "uid";
constexpr std::string_view kAccount = "account";
constexpr std::string_view kAccountUid = "accountUID";

struct Part {
  std::string_view name;
  std::string_view text;
};

/// Annotations may contain any separator, so the parts are members of a JSON object.
Key pack(std::string_view ns, std::initializer_list<Part> parts) {
  JsonWriter out;
  out.begin_object();
  for (const Part& each : parts) out.member(each.name, each.text);
  out.end_object();
  return {std::string(ns), std::move(out).text()};
}

std::string part(Value parts, std::string_view name) { return std::string(parts[name].string()); }

}  // namespace

Key key_of(const ServiceAccount& account) {
  return pack(account.ns(), {{kName, account.name()}, {kUid, account.uid()}});
}

std::optional<AccountKey> read_account_key(const Api& api, const Key& key) {
  const Result<Value> parts = parse_json(api, key.name);
  if (!parts) return std::nullopt;
  AccountKey out{key.ns, part(*parts, kName), part(*parts, kUid)};
  if (out.ns.empty() || out.name.empty() || out.uid.empty()) return std::nullopt;
  return out;
}

Key key_of(const TokenSecret& secret) {
  return pack(secret.ns(), {{kName, secret.name()},
                            {kUid, secret.uid()},
                            {kAccount, secret.account()},
                            {kAccountUid, secret.account_uid()}});
}

std::optional<SecretKey> read_secret_key(const Api& api, const Key& key) {
  const Result<Value> parts = parse_json(api, key.name);
  if (!parts) return std::nullopt;
  SecretKey out{key.ns, part(*parts, kName), part(*parts, kUid), part(*parts, kAccount),
                part(*parts, kAccountUid)};
  if (out.ns.empty() || out.name.empty() || out.uid.empty() || out.account.empty()) {
    return std::nullopt;
  }
  return out;
}

}  // namespace davit::serviceaccount

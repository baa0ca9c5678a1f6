#include "sandbox/auth/tokens.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <utility>

#include "sandbox/auth/web_token.hpp"

namespace davit::sandbox {
namespace {

/// The claim with what is Kubernetes' own.
constexpr const char* kClaim = "kubernetes.io";

std::int64_t seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Json reference(const std::string& name, const std::string& uid) {
  return Json::object({{"name", name}, {"uid", uid}});
}

/// The member of the claim for a bound object: "pod".
std::string claim_of(const std::string& kind) {
  if (kind == "Pod") return "pod";
  return kind == "Secret" ? "secret" : "node";
}

constexpr const char* kLegacyIssuer = "kubernetes/serviceaccount";
/// The label of Secrets whose tokens count no more.
constexpr const char* kInvalidSince = "kubernetes.io/legacy-token-invalid-since";

bool is_being_deleted(const Version& object) {
  return object.json().get("metadata").contains("deletionTimestamp");
}

Status refused() { return {Code::kForbidden, "invalid bearer token"}; }

bool same_object(const VersionPtr& found, const Json& reference) {
  return found != nullptr && found->uid == reference.get("uid").text();
}

/// Whether the account and whatever the token is bound to are still the same objects.
bool still_there(const Store& store, const Json& claim) {
  const std::string& ns = claim.get("namespace").text();
  const Json& account = claim.get("serviceaccount");
  if (!same_object(store.get({"", "serviceaccounts"}, ns, account.get("name").text()), account)) {
    return false;
  }
  // A pod's token also names the node, which is only information: the pod does not outlive it.
  const bool of_pod = claim.contains("pod");
  const std::pair<const char*, const char*> bound[] = {
      {"pod", "pods"}, {"secret", "secrets"}, {"node", "nodes"}};
  for (const auto& [member, resource] : bound) {
    const Json* reference = claim.find(member);
    const bool of_node = std::string_view(member) == "node";
    if (reference == nullptr || (of_node && of_pod)) continue;
    const VersionPtr found =
        store.get({"", resource}, of_node ? "" : ns, reference->get("name").text());
    if (!same_object(found, *reference)) return false;
  }
  return true;
}

}  // namespace

ServiceAccountTokens::ServiceAccountTokens(const Store& store, const Clock& clock, std::string key)
    : store_(store), clock_(clock), key_(std::move(key)) {}

ServiceAccountTokens::Issued ServiceAccountTokens::issue(const TokenGrant& grant) const {
  const WallTime now = clock_.wall_now();
  const WallTime expires = now + grant.lifetime;
  Json audiences = Json::array();
  for (const std::string& each : grant.audiences) audiences.push_back(each);
  if (grant.audiences.empty()) audiences.push_back(std::string(kIssuer));
  Json own = Json::object(
      {{"namespace", grant.ns}, {"serviceaccount", reference(grant.account, grant.account_uid)}});
  if (grant.bound) {
    own.set(claim_of(grant.bound->kind), reference(grant.bound->name, grant.bound->uid));
    if (!grant.bound->node.empty()) {
      own.set("node", reference(grant.bound->node, grant.bound->node_uid));
    }
  }
  Json claims = Json::object({{"aud", std::move(audiences)},
                              {"exp", seconds(expires)},
                              {"iat", seconds(now)},
                              {"iss", std::string(kIssuer)},
                              {kClaim, std::move(own)},
                              {"nbf", seconds(now)},
                              {"sub", service_account_identity(grant.ns, grant.account).name}});
  // Two tokens of one moment are equal but for this.
  const std::uint64_t number = issued_.fetch_add(1, std::memory_order_relaxed);
  claims.set("jti", keyed_uuid(to_text(claims) + std::to_string(number), key_));
  return {sign_web_token(claims, key_), expires};
}

Result<TokenIdentity> ServiceAccountTokens::verify(
    std::string_view token, const std::vector<std::string>& audiences) const {
  const std::optional<Json> claims = open_web_token(token, key_);
  if (!claims) return verify_legacy(token, audiences);
  if (claims->get("exp").integer_or(0) <= seconds(clock_.wall_now())) {
    return Status(Code::kForbidden, "service account token has expired");
  }
  const Json& own = claims->get(kClaim);
  if (!still_there(store_, own)) {
    return Status(Code::kForbidden, "service account token has been invalidated");
  }
  TokenIdentity out;
  std::vector<std::string> wanted = audiences;
  if (wanted.empty()) wanted.emplace_back(kIssuer);
  for (const Json& each : claims->get("aud").items()) {
    if (std::find(wanted.begin(), wanted.end(), each.text()) != wanted.end()) {
      out.audiences.push_back(each.text());
    }
  }
  if (out.audiences.empty()) {
    return Status(Code::kForbidden, "token audiences are invalid for the target audiences");
  }
  const Json& account = own.get("serviceaccount");
  out.identity = service_account_identity(own.get("namespace").text(), account.get("name").text());
  out.identity.uid = account.get("uid").text();
  out.identity.extra.push_back(
      {"authentication.kubernetes.io/credential-id", {"JTI=" + claims->get("jti").text()}});
  for (const char* kind : {"pod", "node"}) {
    const Json* bound = own.find(kind);
    if (bound == nullptr) continue;
    const std::string prefix = std::string("authentication.kubernetes.io/") + kind;
    out.identity.extra.push_back({prefix + "-name", {bound->get("name").text()}});
    const std::string& uid = bound->get("uid").text();
    if (!uid.empty()) out.identity.extra.push_back({prefix + "-uid", {uid}});
  }
  return out;
}

Result<TokenIdentity> ServiceAccountTokens::verify_legacy(
    std::string_view token, const std::vector<std::string>& audiences) const {
  const std::optional<Json> claims = read_claims(token);
  if (!claims || claims->get("iss").text() != kLegacyIssuer) return refused();
  const auto claim = [&claims](const char* name) -> const std::string& {
    return claims->get(std::string("kubernetes.io/serviceaccount/") + name).text();
  };
  const std::string& ns = claim("namespace");
  const Status invalidated(Code::kForbidden, "service account token has been invalidated");
  const VersionPtr secret = store_.get({"", "secrets"}, ns, claim("secret.name"));
  if (secret == nullptr || is_being_deleted(*secret)) return invalidated;
  const Json& content = secret->json();
  if (content.get("type").text() != "kubernetes.io/service-account-token" ||
      content.text_at({"data", "token"}) != encode_base64(token)) {
    return invalidated;
  }
  if (!content.text_at({"metadata", "labels", kInvalidSince}).empty()) {
    return Status(Code::kForbidden, "the token in secret " + ns + "/" + claim("secret.name") +
                                        " for service account " + ns + "/" +
                                        claim("service-account.name") +
                                        " has been marked invalid. Use tokens from the "
                                        "TokenRequest API or manually created secret-based tokens");
  }
  const VersionPtr account = store_.get({"", "serviceaccounts"}, ns, claim("service-account.name"));
  if (account == nullptr || account->uid != claim("service-account.uid") ||
      is_being_deleted(*account)) {
    return invalidated;
  }
  const std::string server(kIssuer);
  if (!audiences.empty() &&
      std::find(audiences.begin(), audiences.end(), server) == audiences.end()) {
    return Status(Code::kForbidden, "token audiences are invalid for the target audiences");
  }
  TokenIdentity out{service_account_identity(ns, account->name), {server}};
  out.identity.uid = account->uid;
  return out;
}

UserInfo service_account_identity(std::string_view ns, std::string_view name) {
  UserInfo out;
  out.name = "system:serviceaccount:" + std::string(ns) + ":" + std::string(name);
  out.groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string(ns)};
  return out;
}

}  // namespace davit::sandbox

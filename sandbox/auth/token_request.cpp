#include <time.h>

#include <string>
#include <utility>

#include "sandbox/auth/reviews.hpp"

namespace davit::sandbox {
namespace {

/// "2026-01-02T03:04:05Z"
std::string date_text(WallTime time) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

constexpr std::int64_t kSecondsMin = 600;
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32U;
constexpr std::int64_t kSecondsDefault = 3600;

ReviewResponse refused(Code code, std::string message) {
  return {{}, {code, std::move(message)}, {}};
}

ReviewResponse not_found(std::string_view resource, std::string_view name) {
  return refused(Code::kNotFound,
                 std::string(resource) + " \"" + std::string(name) + "\" not found");
}

/// Finds what the token is to be bound to; its uid into `bound`. Nothing: all is well.
std::optional<ReviewResponse> find_bound(BoundObject& bound, const TokenGrant& grant,
                                         const Store& store) {
  const std::string resource = bound.kind == "Pod"      ? "pods"
                               : bound.kind == "Secret" ? "secrets"
                               : bound.kind == "Node"   ? "nodes"
                                                        : "";
  if (resource.empty()) {
    return refused(Code::kInvalid, "cannot bind token for object of type /v1, Kind=" + bound.kind);
  }
  const VersionPtr found =
      store.get({"", resource}, resource == "nodes" ? "" : grant.ns, bound.name);
  if (found == nullptr) return not_found(resource, bound.name);
  if (!bound.uid.empty() && bound.uid != found->uid) {
    return refused(Code::kConflict,
                   "Operation cannot be fulfilled on " + resource + " \"" + bound.name +
                       "\": the UID in the bound object reference (" + bound.uid +
                       ") does not match the UID in record. The object might have been deleted "
                       "and then recreated");
  }
  if (resource == "pods" &&
      found->json().text_at({"spec", "serviceAccountName"}) != grant.account) {
    return refused(Code::kInvalid, "cannot bind token for serviceaccount \"" + grant.account +
                                       "\" to pod running with different serviceaccount name.");
  }
  bound.uid = found->uid;
  if (resource == "pods") {
    bound.node = found->json().text_at({"spec", "nodeName"});
    const VersionPtr node = bound.node.empty() ? nullptr : store.get({"", "nodes"}, "", bound.node);
    if (node != nullptr) bound.node_uid = node->uid;
  }
  return std::nullopt;
}

FieldErrors check(const Json& seconds) {
  if (seconds.integer_or(0) < kSecondsMin) {
    return {field_invalid("spec.expirationSeconds", seconds,
                          "may not specify a duration less than 10 minutes")};
  }
  if (seconds.integer_or(0) > kSecondsMax) {
    return {field_invalid("spec.expirationSeconds", seconds,
                          "may not specify a duration larger than 2^32 seconds")};
  }
  return {};
}

}  // namespace

ReviewResponse token_request_response(Json body, std::string_view ns, std::string_view account,
                                      const ReviewParts& parts) {
  const VersionPtr found = parts.store.get({"", "serviceaccounts"}, ns, account);
  if (found == nullptr) return not_found("serviceaccounts", account);
  body.set("kind", "TokenRequest");
  body.set("apiVersion", "authentication.k8s.io/v1");
  Json& spec = body["spec"];
  if (spec.get("expirationSeconds").is_null()) spec.set("expirationSeconds", kSecondsDefault);
  if (FieldErrors errors = check(spec.get("expirationSeconds")); !errors.empty()) {
    return {std::move(body), {}, std::move(errors)};
  }
  TokenGrant grant;
  grant.ns = ns;
  grant.account = account;
  grant.account_uid = found->uid;
  grant.lifetime = std::chrono::seconds(spec.get("expirationSeconds").integer_or(0));
  for (const Json& each : spec.get("audiences").items()) grant.audiences.push_back(each.text());
  if (grant.audiences.empty()) {
    grant.audiences.emplace_back(ServiceAccountTokens::kIssuer);
    spec.set("audiences", Json::array({Json(ServiceAccountTokens::kIssuer)}));
  }
  const Json& wanted = spec.get("boundObjectRef");
  if (wanted.is_object()) {
    BoundObject bound{wanted.get("kind").text(), wanted.get("name").text(),
                      wanted.get("uid").text()};
    if (std::optional<ReviewResponse> wrong = find_bound(bound, grant, parts.store)) {
      return std::move(*wrong);
    }
    grant.bound = std::move(bound);
  } else {
    spec.set("boundObjectRef", Json());
  }
  const ServiceAccountTokens::Issued issued = parts.tokens.issue(grant);
  body["metadata"] = Json::object({{"name", account},
                                   {"namespace", ns},
                                   {"creationTimestamp", date_text(parts.clock.wall_now())}});
  body.set("status", Json::object({{"token", issued.token},
                                   {"expirationTimestamp", date_text(issued.expires)}}));
  return {std::move(body), {}, {}};
}

}  // namespace davit::sandbox

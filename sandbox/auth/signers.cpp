#include "sandbox/auth/signers.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <optional>
#include <utility>

#include "lib/net/signing_request.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client";

bool may_use(const UserInfo& who, const Authorizer& authorizer, std::string_view verb,
             std::string_view signer) {
  AccessAttributes what;
  what.verb = verb;
  what.group = "certificates.k8s.io";
  what.version = "*";
  what.name_of_resource = "signers";
  what.name = signer;
  if (authorizer.authorize(who, what).allowed()) return true;
  // A right may be for all signers of a domain.
  what.name = std::string(signer.substr(0, signer.find('/'))) + "/*";
  return authorizer.authorize(who, what).allowed();
}

std::string refuse_use(const SigningWrite& write, const Authorizer& authorizer,
                       std::string_view verb) {
  const std::string& signer = write.old.text_at({"spec", "signerName"});
  if (may_use(write.who, authorizer, verb, signer)) return "";
  return "user not permitted to " + std::string(verb) + " requests with signerName " +
         to_text(Json(signer));
}

/// CertificateSubjectRestriction.
std::string refuse_subject(const Json& request) {
  const Json& spec = request.get("spec");
  if (spec.get("signerName").text() != kClientSigner) return "";
  const std::optional<std::string> pem = decode_base64(spec.get("request").text());
  const Result<SigningRequest> parsed = read_signing_request(pem.value_or(""));
  if (!parsed) return "failed to parse CSR: " + parsed.error().message();
  if (std::ranges::find(parsed->organizations, kMastersGroup) == parsed->organizations.end()) {
    return "";
  }
  return "use of " + std::string(kClientSigner) + " signer with " + std::string(kMastersGroup) +
         " group is not allowed";
}

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& each : list) out.push_back(each);
  return out;
}

void set_or_erase(Json& object, std::string_view key, Json value) {
  if (value.empty()) {
    object.erase(key);
  } else {
    object.set(key, std::move(value));
  }
}

/// The time of the transition to this condition in `old`; empty: it is new.
std::string known_transition(const Json& condition, const Json& old) {
  for (const Json& each : old.get("status").get("conditions").items()) {
    if (each.get("type") == condition.get("type") &&
        each.get("status") == condition.get("status")) {
      return each.get("lastTransitionTime").text();
    }
  }
  return "";
}

}  // namespace

std::string signer_refusal(const SigningWrite& write, const Authorizer& authorizer) {
  if (write.old.is_null()) return refuse_subject(write.next);
  if (write.subresource == "approval") return refuse_use(write, authorizer, "approve");
  if (write.subresource != "status") return "";
  const Json& before = write.old.get("status");
  const Json& after = write.next.get("status");
  const bool signs = before.get("certificate") != after.get("certificate") ||
                     before.get("conditions") != after.get("conditions");
  return signs ? refuse_use(write, authorizer, "sign") : "";
}

void stamp_requester(Json& request, const UserInfo& who) {
  Json extra = Json::object({});
  for (const auto& [key, values] : who.extra) extra.set(key, texts(values));
  Json& spec = request["spec"];
  set_or_erase(spec, "username", Json(who.name));
  set_or_erase(spec, "uid", Json(who.uid));
  set_or_erase(spec, "groups", texts(who.groups));
  set_or_erase(spec, "extra", std::move(extra));
}

void stamp_conditions(Json& request, const Json& old, std::string_view now) {
  if (request.get("status").get("conditions").items().empty()) return;
  for (Json& each : request["status"]["conditions"].make_array()) {
    if (each.get("lastUpdateTime").text().empty()) each.set("lastUpdateTime", now);
    if (!each.get("lastTransitionTime").text().empty()) continue;
    const std::string known = known_transition(each, old);
    each.set("lastTransitionTime", known.empty() ? std::string(now) : known);
  }
}

}  // namespace davit::sandbox

#include "sandbox/auth/reviews.hpp"

#include <array>
#include <utility>

namespace davit::sandbox {
namespace {

constexpr const char* kAuthentication = "authentication.k8s.io";
constexpr const char* kAuthorization = "authorization.k8s.io";

std::vector<std::string> strings_of(const Json& json) {
  std::vector<std::string> out;
  for (const Json& each : json.items()) out.push_back(each.text());
  return out;
}

Json list_of(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& each : list) out.push_back(each);
  return out;
}

void set_list(Json& object, std::string_view key, const std::vector<std::string>& list) {
  if (!list.empty()) object.set(key, list_of(list));
}

Json user_info(const UserInfo& who) {
  Json out = Json::object({{"username", who.name}});
  if (!who.uid.empty()) out.set("uid", who.uid);
  set_list(out, "groups", who.groups);
  for (const auto& [key, values] : who.extra) out["extra"].set(key, list_of(values));
  return out;
}

ReviewResponse bad_request(std::string message) {
  return {{}, {Code::kInvalid, std::move(message)}, {}};
}

ReviewResponse reviewed(Json body, Json status) {
  body.set("status", std::move(status));
  return {std::move(body), {}, {}};
}

ReviewResponse review_token(Json body, const ReviewParts& parts) {
  const std::string token = body.text_at({"spec", "token"});
  if (token.empty()) return bad_request("token is required for TokenReview in authentication");
  const std::vector<std::string> audiences = strings_of(body.get("spec").get("audiences"));
  const Result<TokenIdentity> known = parts.authenticator.review(token, audiences);
  Json status = Json::object();
  if (!known) {
    status.set("user", Json::object());
    status.set("error", known.error().message());
    return reviewed(std::move(body), std::move(status));
  }
  status.set("authenticated", true);
  status.set("user", user_info(known->identity));
  set_list(status, "audiences", known->audiences);
  return reviewed(std::move(body), std::move(status));
}

AccessAttributes attributes_of(const Json& spec) {
  AccessAttributes what;
  if (const Json* path = spec.find("nonResourceAttributes")) {
    what.resource = false;
    what.path = path->get("path").text();
    what.verb = path->get("verb").text();
    return what;
  }
  const Json& resource = spec.get("resourceAttributes");
  what.verb = resource.get("verb").text();
  what.group = resource.get("group").text();
  what.version = resource.get("version").text();
  what.name_of_resource = resource.get("resource").text();
  what.subresource = resource.get("subresource").text();
  what.ns = resource.get("namespace").text();
  what.name = resource.get("name").text();
  return what;
}

UserInfo subject_of(const Json& spec) {
  UserInfo out;
  out.name = spec.get("user").text();
  out.uid = spec.get("uid").text();
  out.groups = strings_of(spec.get("groups"));
  for (const auto& [key, values] : spec.get("extra").members()) {
    out.extra.emplace_back(key, strings_of(values));
  }
  return out;
}

/// One requirement of a selector, as k8s.io/kubernetes/pkg/apis/authorization/validation has it.
void check_requirement(const Json& requirement, const std::string& path, FieldErrors& out) {
  if (requirement.text_at({"key"}).empty()) {
    out.push_back(field_required(path + ".key", "must be specified"));
    return;
  }
  const std::string& op = requirement.text_at({"operator"});
  const bool has_values = requirement.get("values").size() > 0;
  if ((op == "In" || op == "NotIn") && !has_values) {
    out.push_back(
        field_required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((op == "Exists" || op == "DoesNotExist") && has_values) {
    out.push_back(field_forbidden(
        path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
}

/// fieldSelector or labelSelector: as text or as requirements.
void check_selector(const Json& resource, std::string_view name, FieldErrors& out) {
  const Json* selector = resource.find(name);
  if (selector == nullptr || selector->is_null()) return;
  const std::string path = "spec.resourceAttributes." + std::string(name);
  const std::string& raw = selector->text_at({"rawSelector"});
  const Json::Items& requirements = selector->get("requirements").items();
  if (!raw.empty() && !requirements.empty()) {
    out.push_back(field_invalid(path + ".rawSelector", raw,
                                "may not specified at the same time as requirements"));
  }
  if (raw.empty() && requirements.empty()) {
    out.push_back(field_required(path + ".requirements", "when " + path +
                                                             " is specified, requirements or "
                                                             "rawSelector is required"));
  }
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    check_requirement(requirements[i], path + ".requirements[" + std::to_string(i) + ']', out);
  }
}

/// A review is not stored: it has no name, no labels and no owners.
void check_no_metadata(const Json& body, FieldErrors& out) {
  Json metadata = body.get("metadata");
  if (!metadata.is_object()) return;
  metadata.erase("managedFields");
  metadata.erase("namespace");
  if (metadata.size() > 0) out.push_back(field_invalid("metadata", metadata, "must be empty"));
}

/// The rules for what is asked; `ns` of the path, for the local kind.
FieldErrors check_attributes(const Json& spec, std::string_view kind, std::string_view ns) {
  const Json* resource = spec.find("resourceAttributes");
  const Json* path = spec.find("nonResourceAttributes");
  FieldErrors out;
  if (resource != nullptr && path != nullptr) {
    out.push_back(field_invalid("spec.nonResourceAttributes", *path,
                                "cannot be specified in combination with resourceAttributes"));
  }
  if (resource == nullptr && path == nullptr) {
    out.push_back(field_invalid(
        "spec.resourceAttributes", Json(),
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  if (resource != nullptr) {
    check_selector(*resource, "fieldSelector", out);
    check_selector(*resource, "labelSelector", out);
  }
  if (kind != "LocalSubjectAccessReview") return out;
  if (path != nullptr) {
    out.push_back(
        field_invalid("spec.nonResourceAttributes", *path, "disallowed on this kind of request"));
  }
  if (resource != nullptr && resource->get("namespace").text() != ns) {
    out.push_back(field_invalid("spec.resourceAttributes.namespace",
                                Json(resource->get("namespace").text()),
                                "must match metadata.namespace"));
  }
  return out;
}

ReviewResponse review_access(Json body, const UserInfo& who, std::string_view ns,
                             const ReviewParts& parts) {
  const std::string kind = body.get("kind").text();
  const Json& spec = body.get("spec");
  FieldErrors errors = check_attributes(spec, kind, ns);
  const bool own = kind == "SelfSubjectAccessReview";
  if (!own && spec.get("user").text().empty() && spec.get("groups").items().empty()) {
    errors.push_back(
        field_invalid("spec.user", "", "at least one of user or group must be specified"));
  }
  check_no_metadata(body, errors);
  if (!errors.empty()) return {std::move(body), {}, std::move(errors)};
  const std::string& named = body.text_at({"metadata", "namespace"});
  if (!ns.empty() && !named.empty() && named != ns) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (ns.empty() && body.at({"metadata"}) != nullptr) body["metadata"].erase("namespace");
  const Access access =
      parts.authorizer.authorize(own ? who : subject_of(spec), attributes_of(spec));
  Json status = Json::object({{"allowed", access.allowed()}});
  if (!access.reason.empty()) status.set("reason", access.reason);
  return reviewed(std::move(body), std::move(status));
}

ReviewResponse review_rules(Json body, const UserInfo& who, const ReviewParts& parts) {
  const std::string ns = body.text_at({"spec", "namespace"});
  if (ns.empty()) return bad_request("no namespace on request");
  Json resources = Json::array();
  Json paths = Json::array();
  for (const PolicyRule& each : parts.authorizer.rules(who, ns)) {
    Json rule = Json::object({{"verbs", list_of(each.verbs)}});
    if (!each.urls.empty()) {
      rule.set("nonResourceURLs", list_of(each.urls));
      paths.push_back(std::move(rule));
      continue;
    }
    rule.set("apiGroups", list_of(each.groups));
    rule.set("resources", list_of(each.resources));
    set_list(rule, "resourceNames", each.names);
    resources.push_back(std::move(rule));
  }
  body.set("spec", Json::object());  // The real server does not repeat it in the response.
  return reviewed(std::move(body), Json::object({{"resourceRules", std::move(resources)},
                                                 {"nonResourceRules", std::move(paths)},
                                                 {"incomplete", false}}));
}

}  // namespace

bool is_review(std::string_view group, std::string_view kind) {
  if (group == kAuthentication) return kind == "TokenReview" || kind == "SelfSubjectReview";
  return group == kAuthorization &&
         (kind == "SubjectAccessReview" || kind == "LocalSubjectAccessReview" ||
          kind == "SelfSubjectAccessReview" || kind == "SelfSubjectRulesReview");
}

ReviewResponse review_response(Json body, const UserInfo& who, std::string_view ns,
                               const ReviewParts& parts) {
  const std::string kind = body.get("kind").text();
  if (kind == "TokenReview") return review_token(std::move(body), parts);
  if (kind == "SelfSubjectRulesReview") return review_rules(std::move(body), who, parts);
  if (kind == "SelfSubjectReview") {
    return reviewed(std::move(body), Json::object({{"userInfo", user_info(who)}}));
  }
  return review_access(std::move(body), who, ns, parts);
}

}  // namespace davit::sandbox

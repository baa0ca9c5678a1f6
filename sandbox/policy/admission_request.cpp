#include "sandbox/policy/admission_request.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "sandbox/policy/match_resources.hpp"

namespace davit::sandbox {

namespace {

Json kind_json(const RequestKind& kind) {
  return Json::object({{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}});
}

Json resource_json(const Resource& resource) {
  return Json::object(
      {{"group", resource.group}, {"resource", resource.name}, {"version", resource.version}});
}

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& each : list) out.push_back(each);
  return out;
}

Json user_json(const UserInfo& who) {
  Json out = Json::object();
  const auto set = [&out](std::string_view key, Json value) {
    if (!value.empty()) out.set(key, std::move(value));
  };
  set("username", who.name);
  set("uid", who.uid);
  set("groups", texts(who.groups));
  Json extra = Json::object();
  for (const auto& [key, values] : who.extra) extra.set(key, texts(values));
  set("extra", std::move(extra));
  return out;
}

void copy(const Query& query, std::string_view key, Json& out) {
  const std::string_view value = query.get(key);
  if (!value.empty()) out.set(key, value);
}

}  // namespace

Json request_options(const Call& call, JudgedWrite::Operation operation) {
  using Operation = JudgedWrite::Operation;
  if (operation == Operation::kConnect) return {};
  const Query& query = call.url.query;
  const std::string_view kind = operation == Operation::kCreate   ? "CreateOptions"
                                : operation == Operation::kUpdate ? "UpdateOptions"
                                                                  : "DeleteOptions";
  Json out = Json::object({{"kind", kind}, {"apiVersion", "meta.k8s.io/v1"}});
  if (operation != Operation::kDelete) {
    if (!query.get("dryRun").empty()) out.set("dryRun", texts(query.all("dryRun")));
    copy(query, "fieldManager", out);
    copy(query, "fieldValidation", out);
    return out;
  }
  const Result<Json> body = parse_json(call.request.body);
  if (body && body->is_object()) {
    for (const auto& [key, value] : body->members()) {
      if (key != "kind" && key != "apiVersion") out.set(key, value);
    }
    return out;
  }
  if (!call.request.body.empty()) return out;  // The server has not read the query then.
  if (!query.get("dryRun").empty()) out.set("dryRun", texts(query.all("dryRun")));
  copy(query, "propagationPolicy", out);
  const std::string_view grace = query.get("gracePeriodSeconds");
  if (!grace.empty()) out.set("gracePeriodSeconds", Json::number(grace));
  return out;
}

Json admission_request(const JudgedWrite& write, const Resource& matched, const UserInfo& who,
                       Json options) {
  Json out = Json::object({{"uid", ""},
                           {"kind", kind_json(request_kind(matched, write.subresource))},
                           {"resource", resource_json(matched)}});
  const auto set = [&out](std::string_view key, std::string_view value) {
    if (!value.empty()) out.set(key, value);
  };
  set("subResource", write.subresource);
  out.set("requestKind", kind_json(request_kind(write.resource, write.subresource)));
  out.set("requestResource", resource_json(write.resource));
  set("requestSubResource", write.subresource);
  set("name", write.name);
  set("namespace", namespace_of(write));
  out.set("operation", operation_name(write.operation));
  out.set("userInfo", user_json(who));
  out.set("object", Json());
  out.set("oldObject", Json());
  out.set("dryRun", write.dry_run);
  out.set("options", std::move(options));
  return out;
}

}  // namespace davit::sandbox

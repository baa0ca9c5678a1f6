#include "sandbox/aggregation/remote_service.hpp"

#include <davit/base64.hpp>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

RegisteredService registered_service(const Json& object) {
  const Json& spec = object.get("spec");
  RegisteredService out;
  out.name = object.text_at({"metadata", "name"});
  out.group = spec.get("group").text();
  out.version = spec.get("version").text();
  out.group_priority = spec.get("groupPriorityMinimum").integer_or(0);
  out.version_priority = spec.get("versionPriority").integer_or(0);
  const Json& service = spec.get("service");
  out.remote = service.is_object() && !out.group.empty();
  if (!out.remote) return out;
  for (const Json& each : object.get("status").get("conditions").items()) {
    if (each.get("type").text() != "Available") continue;
    out.available = each.get("status").text() == "True";
  }
  out.service_ns = service.get("namespace").text();
  out.service_name = service.get("name").text();
  out.port = service.get("port").integer_or(443);
  out.roots = decode_base64(spec.get("caBundle").text()).value_or("");
  if (spec.get("insecureSkipTLSVerify").boolean()) out.verify = BackendServer::Verify::kNo;
  return out;
}

Result<BackendServer> server_of(const RegisteredService& service, const Store& store) {
  const VersionPtr found = store.get({"", "services"}, service.service_ns, service.service_name);
  if (found == nullptr) {
    return Status(Code::kNotFound, "service " + to_text(Json(service.service_name)) + " not found");
  }
  const Json object = found->json();
  const std::string external = object.text_at({"spec", "externalName"});
  if (object.text_at({"spec", "type"}) != "ExternalName" || external.empty()) {
    return Status(Code::kUnavailable,
                  "the sandbox reaches no Service but those of type ExternalName");
  }
  return BackendServer{.url = "https://" + external + ':' + std::to_string(service.port),
                       .server_name = service.service_name + '.' + service.service_ns + ".svc",
                       .roots = service.roots,
                       .verify = service.verify};
}

}  // namespace davit::sandbox

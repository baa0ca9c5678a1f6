#include "cli/gated_kinds.hpp"

#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// A kind of the cluster's scope with a status.
struct GatedKind {
  std::string_view gate;
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view singular;
  std::string_view kind;
  std::string_view schema;
};

constexpr GatedKind kKinds[] = {
    {"StorageVersionMigrator", "storagemigration.k8s.io", "v1beta1", "storageversionmigrations",
     "storageversionmigration", "StorageVersionMigration", R"({
  "type":"object","required":["spec"],"properties":{
    "spec":{"type":"object","required":["resource"],"properties":{
      "resource":{"type":"object","required":["resource"],
        "properties":{"group":{"type":"string"},"resource":{"type":"string","minLength":1}},
        "x-kubernetes-validations":[{"rule":"self == oldSelf","message":"field is immutable"}]}}},
    "status":{"type":"object","properties":{
      "resourceVersion":{"type":"string"},
      "conditions":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["type"],
        "items":{"type":"object",
          "required":["type","status","reason","message","lastTransitionTime"],
          "properties":{
            "type":{"type":"string"},"reason":{"type":"string"},"message":{"type":"string"},
            "status":{"type":"string","enum":["True","False","Unknown"]},
            "observedGeneration":{"type":"integer","format":"int64"},
            "lastTransitionTime":{"type":"string","format":"date-time"}}}}}}}})"},
    {"StorageVersionAPI", "internal.apiserver.k8s.io", "v1alpha1", "storageversions",
     "storageversion", "StorageVersion", R"({
  "type":"object","x-kubernetes-preserve-unknown-fields":true})"},
};

std::string definition_of(const GatedKind& of) {
  const auto text = [](std::string_view value) { return Json(std::string(value)); };
  Json out = json_literal(R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{},"spec":{"scope":"Cluster"}})");
  out["metadata"].set("name", std::string(of.plural) + '.' + std::string(of.group));
  out["metadata"].set(
      "annotations",
      Json::object({{"api-approved.kubernetes.io", Json("unapproved, built in elsewhere")}}));
  Json& spec = out["spec"];
  spec.set("group", text(of.group));
  spec.set("names", Json::object({{"plural", text(of.plural)},
                                  {"singular", text(of.singular)},
                                  {"kind", text(of.kind)},
                                  {"listKind", Json(std::string(of.kind) + "List")}}));
  Json version = json_literal(R"({"served":true,"storage":true,"subresources":{"status":{}}})");
  version.set("name", text(of.version));
  version.set("schema", Json::object({{"openAPIV3Schema", json_literal(std::string(of.schema))}}));
  Json versions = Json::array();
  versions.push_back(std::move(version));
  spec.set("versions", std::move(versions));
  return to_text(out);
}

}  // namespace

Status define_gated_kinds(HttpHandler& server, const std::string& admin_token,
                          const GateSettings& gates) {
  constexpr int kAlreadyThere = 409;
  for (const GatedKind& each : kKinds) {
    if (!is_gate_on(each.gate, gates)) continue;
    HttpServerRequest request;
    request.method = "POST";
    request.target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    request.headers = {{"Authorization", "Bearer " + admin_token},
                       {"Content-Type", "application/json"}};
    request.body = definition_of(each);
    const HttpServerResponse response = server.handle(request);
    if (response.status / 100 == 2 || response.status == kAlreadyThere) continue;
    return Status(Code::kInternal,
                  "cannot serve " + std::string(each.plural) + ": " + response.body);
  }
  return {};
}

}  // namespace davit::host

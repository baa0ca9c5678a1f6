#include "sandbox/crd/open_definition.hpp"

#include <utility>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

std::string definition_text(const OpenDefinition& definition) {
  Json version = json_literal(R"({"served":true,"storage":true,
      "subresources":{"status":{}},"schema":{"openAPIV3Schema":{
          "type":"object","x-kubernetes-preserve-unknown-fields":true}}})");
  version.set("name", definition.version);
  const bool is_namespaced = definition.scope == OpenDefinition::Scope::kNamespaced;
  Json spec = Json::object(
      {{"group", definition.group},
       {"names", Json::object({{"plural", definition.plural}, {"kind", definition.kind}})},
       {"scope", is_namespaced ? "Namespaced" : "Cluster"},
       {"versions", Json::array({std::move(version)})}});
  // Only a definition of a group of Kubernetes needs it.
  Json annotations =
      Json::object({{"api-approved.kubernetes.io", "unapproved, it takes anything"}});
  Json metadata = Json::object({{"name", definition.plural + "." + definition.group},
                                {"annotations", std::move(annotations)}});
  return to_text(Json::object({{"apiVersion", "apiextensions.k8s.io/v1"},
                               {"kind", "CustomResourceDefinition"},
                               {"metadata", std::move(metadata)},
                               {"spec", std::move(spec)}}));
}

}  // namespace davit::sandbox

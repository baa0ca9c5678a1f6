#include "plugins/serviceaccount/pod_secrets.hpp"

#include <algorithm>

namespace davit::serviceaccount {
namespace {

using SecretNames = std::vector<std::string_view>;

void add_environment(Value container, SecretNames& out) {
  for (const Value each : container["envFrom"].elements()) {
    out.push_back(each["secretRef"][&Names::name].string());
  }
  for (const Value each : container["env"].elements()) {
    out.push_back(each["valueFrom"]["secretKeyRef"][&Names::name].string());
  }
}

void add_volume(Value volume, SecretNames& out) {
  out.push_back(volume["secret"]["secretName"].string());
  out.push_back(volume["azureFile"]["secretName"].string());
  out.push_back(volume["csi"]["nodePublishSecretRef"][&Names::name].string());
  for (const Value each : volume["projected"]["sources"].elements()) {
    out.push_back(each["secret"][&Names::name].string());
  }
  for (const std::string_view source :
       {"cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"}) {
    out.push_back(volume[source]["secretRef"][&Names::name].string());
  }
}

}  // namespace

std::vector<std::string_view> secrets_of(const Pod& pod) {
  SecretNames out;
  const Value spec = pod.spec();
  for (const Value each : spec["imagePullSecrets"].elements()) {
    out.push_back(each[&Names::name].string());
  }
  for (const std::string_view list : {"initContainers", "ephemeralContainers", "containers"}) {
    for (const Value each : spec[list].elements()) add_environment(each, out);
  }
  for (const Value each : spec["volumes"].elements()) add_volume(each, out);
  std::erase_if(out, [](std::string_view name) { return name.empty(); });
  return out;
}

}  // namespace davit::serviceaccount

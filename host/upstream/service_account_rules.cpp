#include "host/upstream/service_account_rules.hpp"

#include <utility>

#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kPublisher = "root-ca-certificate-publisher-controller";
constexpr std::string_view kBundlePublisher =
    "kube-apiserver-serving-clustertrustbundle-publisher-controller";
constexpr std::string_view kRootCaFile = "rootCAFile";
constexpr std::string_view kRootCa = "rootCA";

/// An empty object unless the text is one.
Json object_of(std::string_view config) {
  Result<Json> json = parse_json(config);
  return json && json->is_object() ? *std::move(json) : Json::object();
}

}  // namespace

bool ignores_controllers_flag(std::string_view controller, std::string_view config) {
  return controller == kTokenController && !object_of(config).get(kTokenKeyFile).text().empty();
}

std::string with_root_ca(std::string_view controller, std::string config,
                         const std::string& ca_data) {
  const bool publishes =
      controller == kTokenController || controller == kPublisher || controller == kBundlePublisher;
  if (ca_data.empty() || !publishes) return config;
  Json object = object_of(config);
  if (object.contains(kRootCaFile) || object.contains(kRootCa)) return config;
  object.set(kRootCa, ca_data);
  return to_text(object);
}

}  // namespace davit::host

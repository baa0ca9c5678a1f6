/// APIService objects, and the servers behind those that name a Service.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <string>

#include "sandbox/aggregation/backend_connector.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The collection of APIServices.
inline const Collection kApiServices{"apiregistration.k8s.io", "apiservices"};

/// The members of one APIService that the server uses.
struct RegisteredService {
  std::string name;  ///< "v1.metrics.example.com"
  std::string group;
  std::string version;
  std::int64_t group_priority = 0;
  std::int64_t version_priority = 0;
  bool remote = false;     ///< It names a Service; the members below are set then only.
  bool available = false;  ///< Its condition Available is "True".
  std::string service_ns;
  std::string service_name;
  std::int64_t port = 443;
  std::string roots;  ///< PEM.
  BackendServer::Verify verify = BackendServer::Verify::kYes;

  /// "/apis/metrics.example.com/v1"
  [[nodiscard]] std::string path() const { return "/apis/" + group + '/' + version; }
};
/// The keys are names.
using RegisteredServices = std::map<std::string, RegisteredService, std::less<>>;

/// An APIService as stored. The one of core ("v1.") is never remote.
[[nodiscard]] RegisteredService registered_service(const Json& object);

/// The server of a remote service, as far as the sandbox reaches one: the type of its Service is
/// ExternalName. k8s: ResolveCluster of k8s.io/apiserver/pkg/util/proxy.
[[nodiscard]] Result<BackendServer> server_of(const RegisteredService& service, const Store& store);

}  // namespace davit::sandbox

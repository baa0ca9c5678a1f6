#include "plugins/resourcequota/small_usage.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace davit::resourcequota {
namespace {

constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kStorage = "requests.storage";

std::int64_t node_ports(const ObjectView& service) {
  const std::string_view type = service.spec()[&Names::type].string();
  const Value ports = service.spec()[&Names::ports];
  const auto count = static_cast<std::int64_t>(ports.count());
  if (type == "NodePort") return count;
  if (type != "LoadBalancer") return 0;
  if (service.spec()["allocateLoadBalancerNodePorts"].boolean().value_or(true)) return count;
  std::int64_t given = 0;
  for (const Value each : ports.elements()) given += each["nodePort"].integer_or(0) != 0 ? 1 : 0;
  return given;
}

std::string_view class_of(const ObjectView& claim) {
  if (const auto annotation = claim.annotation(kClassAnnotation)) return *annotation;
  return claim.spec()["storageClassName"].string();
}

/// The storage that was asked for, or that an expansion has reserved already.
std::optional<Amount> storage_of(const ObjectView& claim) {
  const std::optional<Amount> asked =
      Amount::read(claim.spec()["resources"]["requests"]["storage"]);
  if (!asked) return std::nullopt;
  const Amount requested = asked->rounded_up();
  const std::optional<Amount> reserved =
      Amount::read(claim.status()["allocatedResources"]["storage"]);
  if (reserved && reserved->rounded_up() > requested) return reserved->rounded_up();
  return requested;
}

}  // namespace

Amounts service_usage(const ObjectView& service) {
  const bool balances = service.spec()[&Names::type].string() == "LoadBalancer";
  Amounts out;
  out["services"] = out["count/services"] = Amount::whole(1);
  out["services.nodeports"] = Amount::whole(node_ports(service));
  out["services.loadbalancers"] = Amount::whole(balances ? 1 : 0);
  return out;
}

bool is_service_name(std::string_view name) {
  return name == "count/services" || name == "services" || name == "services.nodeports" ||
         name == "services.loadbalancers";
}

Amounts volume_claim_usage(const ObjectView& claim) {
  Amounts out;
  out[std::string(kClaims)] = out["count/persistentvolumeclaims"] = Amount::whole(1);
  const std::string prefix = std::string(class_of(claim)) + std::string(kOfClass);
  const bool has_class = !class_of(claim).empty();
  if (has_class) out[prefix + std::string(kClaims)] = Amount::whole(1);
  if (const std::optional<Amount> storage = storage_of(claim)) {
    out[std::string(kStorage)] = *storage;
    if (has_class) out[prefix + std::string(kStorage)] = *storage;
  }
  return out;
}

bool is_volume_claim_name(std::string_view name) {
  if (name == "count/persistentvolumeclaims" || name == kClaims || name == kStorage) return true;
  const std::size_t of_class = name.rfind(kOfClass);
  if (of_class == std::string_view::npos) return false;
  const std::string_view rest = name.substr(of_class + kOfClass.size());
  return rest == kClaims || rest == kStorage;
}

}  // namespace davit::resourcequota

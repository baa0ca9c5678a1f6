#include "plugins/cloud/service_writes.hpp"

#include <davit/json_writer.hpp>
#include <string>

#include "plugins/cloud/service_rules.hpp"

namespace davit::cloud {
namespace {

Status patch(const Context& cluster, const Service& service, std::string body) {
  return cluster.client()
      .patch<Service>(service.key(), PatchType::kStrategic, std::move(body),
                      {.subresource = "status"})
      .error();
}

}  // namespace

Status add_cleanup_finalizer(const Context& cluster, const Service& service) {
  if (service.has_finalizer(kCleanupFinalizer)) return {};
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.key("$setElementOrder/finalizers").begin_array();
  for (const Value each : service.metadata()[&Names::finalizers].elements()) {
    body.string(each.string());
  }
  body.string(kCleanupFinalizer).end_array();
  body.key("finalizers").begin_array().string(kCleanupFinalizer).end_array();
  body.end_object().end_object();
  return patch(cluster, service, body.text());
}

Status remove_cleanup_finalizer(const Context& cluster, const Service& service) {
  if (!service.has_finalizer(kCleanupFinalizer)) return {};
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.key("$deleteFromPrimitiveList/finalizers").begin_array().string(kCleanupFinalizer);
  body.end_array().end_object().end_object();
  return patch(cluster, service, body.text());
}

Status write_load_balancer(const Context& cluster, const Service& service, Value load_balancer) {
  const Value present = service.status()["loadBalancer"];
  if (comparable_ingress(present) == comparable_ingress(load_balancer)) return {};
  JsonWriter body;
  body.begin_object().key("status").begin_object().key("loadBalancer").begin_object();
  const Value ingress = load_balancer["ingress"];
  body.key("ingress").value(ingress.count() == 0 ? Value() : ingress);
  body.end_object().end_object().end_object();
  return patch(cluster, service, body.text()).unless(Code::kNotFound);
}

}  // namespace davit::cloud

/// The endpoints controller: keeps one Endpoints object for each Service with a selector.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/endpoints.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/write_window.hpp>
#include <string>

#include "plugins/endpoint/options.hpp"
#include "plugins/endpoint/service_selectors.hpp"
#include "plugins/endpoint/trigger_times.hpp"

namespace davit::endpoint {

/// Read, decide, act: the rules are in subset_plan, subset, endpoints_object and pod_changes, which
/// are pure. Keeps nothing between syncs but the trigger times and those of its last writes.
class EndpointsController final : public Controller, private HandedState {
 public:
  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  EndpointsController(Context& cluster, const EndpointsOptions& options);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  [[nodiscard]] Result<Again> sync(const Key& key);
  [[nodiscard]] Result<Again> sync_pod_change(const Key& key);
  [[nodiscard]] Status remove(const Key& key);
  [[nodiscard]] Status reconcile(const Key& key, const Service& service);
  [[nodiscard]] Status create(const Key& key, std::string body);
  [[nodiscard]] Status update(const Endpoints& current, std::string body);
  /// Queues Endpoints whose Service was deleted before this controller started.
  void queue_leftovers();

  Context& cluster_;
  const EndpointsOptions options_;
  WriteWindow window_;
  TriggerTimes trigger_times_;
  ServiceSelectors selectors_;
  Queue services_queue_;
  Queue pods_queue_;
  Informer<Service> services_;
  Informer<Pod> pods_;
  Informer<Endpoints> endpoints_;
};

}  // namespace davit::endpoint

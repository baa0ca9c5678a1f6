/// The service controller: gives Services of type LoadBalancer a load balancer.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cloud/options.hpp"
#include "plugins/cloud/service_memory.hpp"
#include "plugins/cloud/service_rules.hpp"

namespace davit::cloud {

/// The provider makes the load balancers; this decides when, keeps a finalizer on each Service that
/// may have one, and writes its status. Rule: docs/spec/cloud.md, part A.
///
/// Two queues. "service" has two keys for each Service, which never run at once: "ns/name", the
/// whole of it, and "ns/name/hosts", its Nodes alone. "node" has one worker and starts passes over
/// the Nodes; what the provider wants looked at comes through it, too.
class ServiceLbController final : public Controller {
 public:
  ServiceLbController(Context& cluster, const Options& options, const Cloud& cloud);

  /// Skipped without a provider of load balancers.
  [[nodiscard]] static InitResult open(Context& cluster);

 private:
  void note(const Event<Service>& event);
  void note(const Event<Node>& event);
  /// Queues the whole of a Service.
  void queue(const Key& key) const;

  [[nodiscard]] Result<Again> sync(const Key& key);
  /// Starts a pass over the Nodes, or queues the Service that the provider wants looked at.
  [[nodiscard]] Result<Again> look(const Key& key);

  [[nodiscard]] Result<Again> sync_service(const Key& key);
  /// The Service is gone, or another one has its name. Its load balancer goes with what is known.
  [[nodiscard]] CloudReply end(const Service& known);
  [[nodiscard]] CloudReply remove(const Key& key, const Service& service);
  [[nodiscard]] CloudReply ensure(const Key& key, const Service& service);
  [[nodiscard]] CloudReply write_status(const Key& key, const Service& service, Value status);

  [[nodiscard]] Result<Again> sync_hosts(const Key& key);
  /// Gives the provider the Nodes of a known Service.
  void update(const Key& key, const Service& known, const std::vector<Node>& nodes);
  /// An update was queued, or has ended.
  void pass_began(std::size_t updates);
  void update_ended();

  [[nodiscard]] bool wants(const Service& service) const {
    return wants_load_balancer(service, classes_);
  }
  [[nodiscard]] std::vector<Node> nodes() const;
  void normal(const Service& about, std::string_view reason, std::string_view message) const {
    cluster_.events().normal(about, reason, message);
  }
  void warn(const Service& about, std::string_view reason, std::string_view message) const {
    cluster_.events().warning(about, reason, message);
  }

  Context& cluster_;
  const Cloud cloud_;
  const LoadBalancerClasses classes_;  // The provider's; other ones restart the loop.
  ServiceMemory memory_{classes_};
  Metric updates_;
  Metric update_errors_;
  Metric update_latency_;
  Metric pass_latency_;
  std::mutex pass_mutex_;  // Guards the next two.
  std::size_t updates_left_ = 0;
  Time pass_began_{};
  Queue services_queue_;
  Queue nodes_queue_;
  Informer<Service> services_;
  Informer<Node> nodes_;
};

}  // namespace davit::cloud

/// The route controller: has the provider route the pod CIDRs of Nodes to them.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <string>
#include <vector>

#include "plugins/cloud/options.hpp"
#include "plugins/cloud/route_pass.hpp"

namespace davit::cloud {

/// A pass compares what the provider lists with the Nodes, has routes removed and created, and
/// writes the condition NetworkUnavailable. Rule: docs/spec/cloud.md, part B.
///
/// Two queues. "passes" has one worker, which begins a pass and ends it. The other has the pass's
/// destinations: what is removed and created for one is never done at once (D9).
class NodeRouteController final : public Controller {
 public:
  NodeRouteController(Context& cluster, const RouteOptions& options,
                      std::vector<ip::Prefix> cluster_cidrs, const Cloud& cloud);

  /// Skipped without a provider of routes, and with configureCloudRoutes false.
  [[nodiscard]] static InitResult open(Context& cluster);

 private:
  /// Begins or ends a pass.
  [[nodiscard]] Result<Again> sync_pass(const Key& key);
  [[nodiscard]] Result<Again> begin_pass(const RoutePass::Beginning& beginning);
  [[nodiscard]] Result<Again> end_pass();
  /// Queues the pass that follows the one that began then.
  void queue_next(Time began) const;
  void queue_destinations(const std::vector<std::string>& destinations) const;
  /// Makes the calls for one destination.
  [[nodiscard]] Result<Again> sync_destination(const Key& key);
  /// No value: the call has to be made again.
  [[nodiscard]] std::optional<RoutePass::StepResult> take(const RoutePass::Step& step);
  void report_creation(const NewRoute& wanted, const Status& failure, Duration took) const;

  struct Condition {
    Key node;
    std::string uid;
    bool is_routed = false;
  };
  [[nodiscard]] std::vector<Condition> changed_conditions(const RoutePass::Results& of) const;
  /// Ends early when the host stops or swaps.
  [[nodiscard]] Status write(std::vector<Condition> conditions) const;

  Context& cluster_;
  const Cloud cloud_;
  const Duration period_;
  const std::vector<ip::Prefix> cluster_cidrs_;
  RoutePass pass_;
  bool wants_again_ = false;  // The provider, during a pass; its queue's one worker's.
  Metric passes_made_;
  Metric removals_failed_;
  Queue passes_;
  Queue destinations_;
  Informer<Node> nodes_;
};

}  // namespace davit::cloud

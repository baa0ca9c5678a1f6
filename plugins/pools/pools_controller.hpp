/// A provider without a cloud: gives Services of type LoadBalancer addresses out of pools.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/pools/kernel_routes.hpp"
#include "plugins/pools/ledger.hpp"
#include "plugins/pools/options.hpp"
#include "plugins/pools/pool_metrics.hpp"
#include "plugins/pools/table_routes.hpp"

namespace davit::pools {

/// The loop of the plugin cloud decides when a Service needs an address; the Ledger which one. This
/// carries it out, and has the loop look again at Services that wait once an address is free. Rule:
/// docs/spec/cloud.md, part F.
class PoolsController final : public Controller,
                              public CloudProvider,
                              private LoadBalancers,
                              private HandedState {
 public:
  PoolsController(Context& cluster, Options options);
  [[nodiscard]] static InitResult open(Context& cluster);

  [[nodiscard]] LoadBalancers* load_balancers() override;
  [[nodiscard]] Instances* instances() override;
  [[nodiscard]] Routes* routes() override;
  [[nodiscard]] LoadBalancerClasses classes() const override { return classes_; }
  [[nodiscard]] Status configure(const Value& config) override;
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;
  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // LoadBalancers
  [[nodiscard]] CloudReply get(const CloudService& at) override;
  [[nodiscard]] CloudReply ensure(const CloudService& at, std::span<const Node> nodes) override;
  [[nodiscard]] CloudReply update(const CloudService& at, std::span<const Node> nodes) override;
  [[nodiscard]] CloudReply remove(const CloudService& at) override;

  // HandedState
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  void note(const Event<Service>& event);
  /// Has the loops look at a Node whose simulated machine has changed.
  void note_machine(const Event<Node>& event);
  /// Services that waited for another build are ensured again, so that this one knows of them.
  void resume();

  /// Before the first address is given, and the first one of new pools: takes in what all Services
  /// show. The mutex is held.
  [[nodiscard]] Status begin();
  /// The Services that would get an address now. The mutex is held.
  [[nodiscard]] std::vector<Key> ready();
  /// Whether it is time for an AddressPoolExhausted. The mutex is held.
  [[nodiscard]] bool may_report_exhaustion(const std::string& uid);
  void look_again(const std::vector<Key>& services) const;
  /// The Service is gone.
  void forget(const std::string& uid);
  /// Takes in what the status of a Service shows that is not known, as a build before this one may
  /// have written it late, and has the loop look at it.
  void adopt(const Key& key, const std::string& uid);
  /// Takes in the addresses that no other Service may get while this one shows them. Whether it has
  /// any. The mutex is held.
  bool adopt(const Service& service);
  /// Frees what the Service has left, if the cache shows that.
  void confirm(const Key& key, const std::string& uid);
  /// Writes the addresses where kube-vip reads them, unless they are there.
  [[nodiscard]] Status hand_over(const Service& service,
                                 const std::vector<Address>& addresses) const;
  /// A decision, and what follows from it.
  struct Ensured {
    Decision decision;
    std::string status;  ///< In JSON.
    bool hands_over = false;
    bool is_exhausted = false;  ///< An Event reports it.
    std::vector<Key> next;      ///< To be looked at.
  };
  /// Decides. The mutex is held.
  [[nodiscard]] Ensured ensure(const Service& service);
  /// The Service of this UID in the cache.
  [[nodiscard]] Lookup<Service> find(const Key& key, std::string_view uid) const;
  /// The Events of a decision.
  void report(const Service& service, const Ensured& made);
  [[nodiscard]] std::string status_of(const std::vector<Address>& addresses) const;

  /// The machines: what the inventory of the moment says.
  class Machines final : public Instances {
   public:
    explicit Machines(const PoolsController& owner) : owner_(owner) {}
    [[nodiscard]] CloudReply exists(const Node& node) override;
    [[nodiscard]] CloudReply shutdown(const Node& node) override;
    [[nodiscard]] CloudReply metadata(const Node& node) override;

   private:
    using Question = CloudReply (Inventory::*)(const Node& node) const;
    [[nodiscard]] CloudReply ask(const Node& node, Question question) const;

    const PoolsController& owner_;
  };
  [[nodiscard]] Inventory inventory() const;
  /// The Nodes, for routes in the kernel.
  [[nodiscard]] Result<std::vector<RouteTarget>> route_targets() const;

  Context& cluster_;
  CloudHost host_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Options options_;
  Ledger ledger_;
  bool has_begun_ = false;
  bool has_new_pools_ = false;  // They may have addresses of Services that are not served.
  bool had_state_ = false;      // That of the build before this one.
  std::vector<Key> resumed_;    // Waited for the build before this one.
  std::map<std::string, Time, std::less<>> exhausted_at_;  // The last AddressPoolExhausted, by UID.
  PoolMetrics metrics_;
  // Not guarded.
  Machines machines_{*this};
  // The parts that were offered at the start.
  const bool has_pools_;
  const bool has_machines_;
  const LoadBalancerClasses classes_;
  const RouteSettings route_settings_;
  Informer<Service> services_;
  // The loops give each call Nodes, which a provider may read only if it watches them.
  Informer<Node> nodes_;
  TableRoutes table_routes_{cluster_, nodes_};
  KernelRoutes kernel_routes_{route_settings_, [this] { return route_targets(); }};
};

}  // namespace davit::pools

/// The node IPAM controller: gives each Node its pod CIDRs, one block of each cluster CIDR.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodeipam/cidr_ledger.hpp"
#include "plugins/nodeipam/cidr_metrics.hpp"
#include "plugins/nodeipam/options.hpp"

namespace davit::nodeipam {

/// Handlers enter the CIDRs of Nodes into the ledger, and syncs reserve blocks and write them. The
/// rules of the blocks are in the ledger, which is pure. Rule: docs/spec/nodeipam.md.
class NodeIpamController final : public Controller, private HandedState {
 public:
  NodeIpamController(Context& cluster, const Options& options);

  /// Skipped unless allocateNodeCIDRs is true.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// The page "cidrs": one line for each set.
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;
  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The reservations: blocks that no Node in the cache has yet, and that some may have.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  void note(const Event<Node>& event);
  [[nodiscard]] Result<Again> sync(const Key& key);
  void report(const Node& node);
  [[nodiscard]] Result<Again> allocate(const Node& node);
  /// Ok if the Node has the blocks now. `is_unknown`: it may have got them, whatever is returned.
  [[nodiscard]] Status write_blocks(const Node& node, const std::vector<ip::Prefix>& blocks,
                                    bool& is_unknown) const;
  /// A write of what is reserved for a Node has failed.
  void note_failure(const std::string& name, const Status& error, bool is_unknown);
  /// Records metrics, and queues Nodes that wait for a block, after `delay`, if one has become
  /// free. Called after each change of the ledger.
  void changed(Duration delay = Duration::zero());

  Context& cluster_;
  mutable std::mutex mutex_;  // Guards ledger_ and metrics_.
  CidrLedger ledger_;
  CidrMetrics metrics_;
  Queue queue_;
  Informer<Node> nodes_;
};

}  // namespace davit::nodeipam

/// The cloud node controller: gives a new Node the facts of its machine, and keeps its addresses.
#pragma once

#include <davit/cloud.hpp>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "plugins/cloud/options.hpp"

namespace davit::cloud {

/// Two queues: "Nodes" has those that have changed, and the other those whose addresses are to be
/// compared with the machine's. Rule: docs/spec/cloud.md, part D.
class CloudNodeController final : public Controller {
 public:
  CloudNodeController(Context& cluster, const NodeOptions& options, const Cloud& cloud);

  /// Skipped without a provider of instances.
  [[nodiscard]] static InitResult open(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key);
  /// Gives a new Node what its machine says.
  [[nodiscard]] Result<Again> initialize(const Node& node);
  /// The rest of it once the facts are there.
  [[nodiscard]] Status write_facts(const Node& node, const CloudMetadata& facts);
  [[nodiscard]] Result<Again> repeat_labels(const Node& node) const;

  [[nodiscard]] Result<Again> sync_addresses(const Key& key);
  /// The failure of the write; ok, too, if there is nothing to write.
  [[nodiscard]] Status write_addresses(const Node& node, const CloudMetadata& facts) const;
  void queue_addresses() const;

  /// The facts of the machine; nothing: it is too early, or another manager has the Node.
  [[nodiscard]] Result<std::optional<CloudMetadata>> facts_of(const CloudReply& reply) const;

  // ---- Nodes that wait in vain (D17)

  /// A failure in a row of a Node, which people have to see when it is not the first.
  void note_failure(const Node& node, const Status& why);
  /// The Node has its facts, or a write of them got no answer, but not its addresses. They follow
  /// when the cache shows it without the taint.
  void note_owed_addresses(const std::string& node);
  enum class Addresses { kNone, kOwed };
  /// The Node waits no more. Whether its addresses are still to be written.
  [[nodiscard]] Addresses note_success(const std::string& node);

  struct Wait {
    int failures = 0;
    std::optional<Time> reported{};
    Addresses addresses = Addresses::kNone;
  };

  Context& cluster_;
  const Cloud cloud_;
  std::mutex mutex_;
  std::map<std::string, Wait> waits_;  // The key is the Node's name; guarded.
  Metric taint_delay_;
  Metric sync_delay_;
  Queue queue_;
  Queue addresses_;
  Informer<Node> nodes_;
};

}  // namespace davit::cloud

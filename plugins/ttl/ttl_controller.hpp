/// The TTL controller: writes on every Node how long its kubelet may use copies of Secrets and
/// ConfigMaps, depending on the number of Nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/node.hpp>

namespace davit::ttl {

/// Handlers count Nodes and move the step; a sync compares one Node with it. The rules are in
/// ttl_plan, which is pure.
class TtlController final : public Controller, private HandedState {
 public:
  explicit TtlController(Context& cluster);

  [[nodiscard]] HandedState* state() override { return this; }

 private:
  // The step: between two boundaries it depends on which side the cluster came from.
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

  void count(const Event<Node>& event);
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<Node> nodes_;
  std::size_t count_ = 0;  // For handlers only, which never overlap.
  // Handlers write it and syncs read it. Relaxed: it guards nothing else, and the key that a
  // handler adds afterwards orders the two.
  std::atomic<std::size_t> step_{0};
};

}  // namespace davit::ttl

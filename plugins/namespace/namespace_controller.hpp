/// The namespace controller: empties namespaces that are being deleted, and lets them go.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/namespace/content_deleter.hpp"
#include "plugins/namespace/namespace_view.hpp"
#include "plugins/namespace/namespace_writer.hpp"
#include "plugins/namespace/resource_plan.hpp"

namespace davit::namespaces {

/// Read, decide, act: the rules are in resource_plan, content_plan and condition_plan, which are
/// pure. Keeps nothing between syncs.
class NamespaceController final : public Controller {
 public:
  /// Reads the configuration and what the server offers; fails if that is nothing.
  [[nodiscard]] static InitResult open(Context& cluster);
  /// The same with another source of what the server offers, for tests.
  [[nodiscard]] static InitResult open_with(Context& cluster, Discover discover);

  NamespaceController(Context& cluster, Discover discover, std::chrono::milliseconds sync_period);

 private:
  /// Once all API servers know of the deletion: what they admitted before has arrived by then.
  void enqueue(const Namespace& ns) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  [[nodiscard]] Result<Again> empty(const Namespace& ns) const;
  /// Writes the conditions; the Namespace as it is then. An error is logged only: the next sync
  /// writes again.
  [[nodiscard]] Namespace report(const Namespace& ns, const Findings& findings) const;

  Context& cluster_;
  Queue queue_;
  Informer<Namespace> namespaces_;
  NamespaceWriter writer_;
  ContentDeleter deleter_;
};

}  // namespace davit::namespaces

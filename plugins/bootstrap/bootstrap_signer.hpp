/// The bootstrap signer: signs the ConfigMap cluster-info by every bootstrap token.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/bootstrap/views.hpp"

namespace davit::bootstrap {

/// One key for all. Reads one namespace of each kind, so the caches are synced on their own.
/// Rule: docs/spec/certificates.md, part D.
class BootstrapSigner final : public Controller {
 public:
  /// Refuses every option.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit BootstrapSigner(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  void add() const;
  [[nodiscard]] DynamicInformerOptions::Wake wake() const;

  Context& cluster_;
  Queue queue_;
  Result<DynamicInformer> maps_;
  Result<DynamicInformer> secrets_;
};

}  // namespace davit::bootstrap

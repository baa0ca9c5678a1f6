/// The expander: says on a claim that grows who makes its volume grow.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// No volume is resized here: CSI drivers do that by the external-resizer. Nothing is written but
/// an annotation of the claim, for volumes of in-tree plugins.
///
/// Rule: docs/spec/volumes.md, part G.
class VolumeExpander final : public Controller {
 public:
  explicit VolumeExpander(Context& cluster);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  const Queue queue_;
  const Informer<volumes::Claim> claims_;
};

}  // namespace davit::volumebinder

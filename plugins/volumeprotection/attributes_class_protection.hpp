/// The attributes class protection controller: a deleted VolumeAttributesClass stays as long as a
/// claim or a volume names it.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumeprotection {

/// Uses are those in the caches, as upstream.
/// Rule: docs/spec/volumes.md, part E.
class AttributesClassProtection final : public Controller {
 public:
  /// Skipped where the server does not serve the kind.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit AttributesClassProtection(Context& cluster);

 private:
  void add_if_due(const volumes::AttributesClass& object) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  [[nodiscard]] bool is_used(std::string_view name) const;

  Context& cluster_;
  Queue queue_;
  Informer<volumes::AttributesClass> classes_;
  Informer<volumes::Claim> claims_;
  Informer<volumes::Volume> volumes_;
};

}  // namespace davit::volumeprotection

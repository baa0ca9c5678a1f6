/// The volume protection controller: a deleted volume stays as long as it is bound.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumeprotection {

/// Invariant: the finalizer goes only from a version of the volume whose phase is not Bound; the
/// server refuses the write for any other version. The controller never deletes anything.
/// Rule: docs/spec/volumes.md, part D.
class VolumeProtection final : public Controller {
 public:
  explicit VolumeProtection(Context& cluster);

 private:
  void add_if_due(const volumes::Volume& volume) const;
  [[nodiscard]] Result<Again> sync(const Key& key) const;

  Context& cluster_;
  Queue queue_;
  Informer<volumes::Volume> volumes_;
};

}  // namespace davit::volumeprotection

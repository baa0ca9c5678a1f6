/// The next step of the driver's sidecars for one object: external-provisioner, external-attacher,
/// external-resizer, node-driver-registrar. Pure.
#pragma once

#include <optional>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/storage_objects.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {

/// Nothing to do without an operation.
struct StorageStep {
  /// "provision". The time of an operation counts from its first step.
  const char* operation = nullptr;
  Duration after{0};                   ///< The time of the operation before the call.
  std::optional<ApiCall> call;         ///< Nothing: the operation fails, as `failed` says.
  std::optional<StorageEvent> begun;   ///< When the operation begins.
  std::optional<StorageEvent> done;    ///< When the call has succeeded.
  std::optional<StorageEvent> failed;  ///< Without a call; it is tried again with a pause.
};

/// Provisioning, growth and change of class.
[[nodiscard]] StorageStep claim_step(const StorageView& view, const Json& claim);
/// Deletion, and finalizers.
[[nodiscard]] StorageStep volume_step(const StorageView& view, const Json& volume);
/// `now`: the time that an error carries.
[[nodiscard]] StorageStep attachment_step(const StorageView& view, const Json& attachment,
                                          const std::string& now);
/// A simulated node's CSINode, the annotation that lets a controller attach its volumes, and the
/// label by which volumes name it.
[[nodiscard]] StorageStep node_step(const StorageView& view, const Json& node);

}  // namespace davit::sandbox

/// Writes of the server itself.
#pragma once

#include <string>
#include <utility>

#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

/// The target of a write whose field manager is the server. `resource` must outlive it. An empty
/// `name`: that of the object.
[[nodiscard]] inline WriteTarget server_target(const RestParts& parts, const Resource& resource,
                                               std::string ns, std::string name) {
  FieldManager manager;
  manager.name = "kube-apiserver";
  manager.api_version = resource.api_version();
  manager.time = time_text(parts.clock);
  return {.resource = resource,
          .ns = std::move(ns),
          .name = std::move(name),
          .subresource = "",
          .dry_run = DryRun::kNo,
          .manager = std::move(manager)};
}

}  // namespace davit::sandbox

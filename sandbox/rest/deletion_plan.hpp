/// Decides what a DELETE does to an object; pure rules (k8s: rest.BeforeDelete,
/// registry.Store.deletionFinalizersForGarbageCollection, the strategies of pods and namespaces).
#pragma once

#include <cstdint>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/rest/options.hpp"

namespace davit::sandbox {

struct DeletionPlan {
  enum class Step : std::uint8_t {
    kNothing,          ///< It is being deleted already: return it unchanged.
    kStore,            ///< Write `object`; it stays.
    kRemove,           ///< It goes at once.
    kStoreThenRemove,  ///< Watchers see `object` first, then it goes.
  } step = Step::kNothing;
  Json object;  ///< For kRemove: its final state.
};

[[nodiscard]] DeletionPlan plan_deletion(const Resource& resource, const Json& current,
                                         const DeleteOptions& options, WallTime now);

}  // namespace davit::sandbox

/// The driver's capacity, as external-provisioner publishes it in CSIStorageCapacities: one for
/// each class that waits for a consumer and each part of the cluster. Pure.
#pragma once

#include <map>

#include "lib/kube/json.hpp"
#include "nodes/storage_objects.hpp"
#include "nodes/storage_plan.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {

/// The parts of the cluster, each with the number of its nodes that have the driver. Empty texts
/// stand for the whole cluster, which volumes of nodes without a segment reach.
using StorageSegments = std::map<StorageSegment, int>;

/// Publishes or changes what the objects of a class lack.
[[nodiscard]] StorageStep capacity_step(const StorageView& view, const StorageSegments& segments,
                                        const Json& storage_class);
/// Deletes an object of the driver whose class or part of the cluster is gone.
[[nodiscard]] StorageStep published_step(const StorageView& view, const StorageSegments& segments,
                                         const Json& capacity);

}  // namespace davit::sandbox

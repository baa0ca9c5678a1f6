/// The changes of objects that lower a usage. Pure; kubernetes:pkg/controller/resourcequota
/// DefaultUpdateFilter.
#pragma once

#include <davit/kube/metadata.hpp>
#include <davit/time.hpp>
#include <string_view>

namespace davit::resourcequota {

/// Whether an update of an object of this resource is worth a recalculation. Rule:
/// docs/spec/resourcequota.md, section 3.2.
[[nodiscard]] bool matters(std::string_view qualified, const ObjectView& old,
                           const ObjectView& current, WallTime now);

}  // namespace davit::resourcequota

/// The bodies of patches. Pure; kubernetes:pkg/controller/garbagecollector/patch.go. The strategic
/// ones hold for the UID that they carry. Custom resources do not take them: their merge patches
/// hold for the version that was read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/garbagecollector/identity.hpp"

namespace davit::garbage {

/// Takes the references to `owners` out of the object `uid`.
[[nodiscard]] std::string drop_owners_patch(std::string_view uid,
                                            const std::vector<std::string>& owners);
[[nodiscard]] std::string drop_owners_merge(const LiveObject& live,
                                            const std::vector<std::string>& owners);

/// None of the object's references blocks any more. Both hold for the version that was read: a
/// strategic patch adds a reference that has gone since.
[[nodiscard]] std::string unblock_patch(const LiveObject& live);
[[nodiscard]] std::string unblock_merge(const LiveObject& live);

[[nodiscard]] std::string drop_finalizer_merge(const LiveObject& live, std::string_view finalizer);

}  // namespace davit::garbage

/// Changes of the list of taints of a Node. Pure.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/kube/taint.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::taints {

/// Whether one of `taints` has the identity of `taint`.
[[nodiscard]] bool contains(std::span<const Taint> taints, const Taint& taint);

/// AddOrUpdateTaintOnNode: `taints` with `added`, each replacing one of the same identity or at the
/// end; nothing if that changes nothing.
[[nodiscard]] std::optional<std::vector<Taint>> with_taints(std::vector<Taint> taints,
                                                            std::span<const Taint> added);
/// RemoveTaintOffNode: the same for those to take away.
[[nodiscard]] std::optional<std::vector<Taint>> without_taints(std::vector<Taint> taints,
                                                               std::span<const Taint> removed);

/// Writes the list as the value of spec.taints; null if it is empty.
void write_taints(JsonWriter& out, std::span<const Taint> taints);
/// A strategic merge patch that sets the whole list, provided that the server still has `version`.
[[nodiscard]] std::string taints_patch(std::string_view version, std::span<const Taint> taints);

}  // namespace davit::taints

#include "plugins/shared/taints/taint_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace davit::taints {

bool contains(std::span<const Taint> taints, const Taint& taint) {
  return std::any_of(taints.begin(), taints.end(),
                     [&taint](const Taint& each) { return each.is_same(taint); });
}

std::optional<std::vector<Taint>> with_taints(std::vector<Taint> taints,
                                              std::span<const Taint> added) {
  bool changed = false;
  for (const Taint& each : added) {
    const auto present = std::find_if(taints.begin(), taints.end(),
                                      [&each](const Taint& taint) { return taint.is_same(each); });
    if (present == taints.end()) {
      taints.push_back(each);
    } else if (*present != each) {
      *present = each;
    } else {
      continue;
    }
    changed = true;
  }
  return changed ? std::optional(std::move(taints)) : std::nullopt;
}

std::optional<std::vector<Taint>> without_taints(std::vector<Taint> taints,
                                                 std::span<const Taint> removed) {
  const std::size_t before = taints.size();
  std::erase_if(taints, [removed](const Taint& each) { return contains(removed, each); });
  return taints.size() != before ? std::optional(std::move(taints)) : std::nullopt;
}

void write_taints(JsonWriter& out, std::span<const Taint> taints) {
  if (taints.empty()) {
    out.null();
    return;
  }
  out.begin_array();
  for (const Taint& each : taints) {
    out.begin_object().member("key", each.key);
    if (!each.value.empty()) out.member("value", each.value);
    out.member("effect", each.effect);
    if (!each.time_added.empty()) out.member("timeAdded", each.time_added);
    out.end_object();
  }
  out.end_array();
}

std::string taints_patch(std::string_view version, std::span<const Taint> taints) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", version);
  body.end_object().key("spec").begin_object().key("taints");
  write_taints(body, taints);
  body.end_object().end_object();
  return std::move(body).text();
}

}  // namespace davit::taints

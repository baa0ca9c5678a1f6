#include "plugins/shared/pods/json_rewrite.hpp"

#include <algorithm>

namespace davit::pods {

void rewrite_object(JsonWriter& out, Value object, std::span<const Replacement> replacements) {
  out.begin_object();
  for (const Member& each : object.members()) {
    const bool replaced =
        std::any_of(replacements.begin(), replacements.end(),
                    [&](const Replacement& replacement) { return replacement.key == each.key; });
    if (!replaced) out.key(each.key).value(each.value);
  }
  for (const Replacement& each : replacements) {
    if (each.write) each.write(out.key(each.key));
  }
  out.end_object();
}

}  // namespace davit::pods

/// The JSON texts of the pods and claims that a StatefulSet creates. Pure.
///
/// Rules: docs/spec/statefulset.md, 11 and 13.1.
#pragma once

#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/object.hpp>
#include <string>
#include <string_view>

#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

/// The version of the pods that a ControllerRevision describes. The views live like it.
struct Version {
  std::string_view name;  ///< The revision's, which is the pods' label.
  Value pod_template;
};

[[nodiscard]] std::string pod_body(const StatefulSet& set, const Version& version,
                                   std::int64_t ordinal);

[[nodiscard]] std::string claim_body(const StatefulSet& set, Value claim_template,
                                     std::string_view pod);

/// Writes the labels that identify a pod as members of an object.
void write_identity(JsonWriter& out, std::string_view pod, std::int64_t ordinal);

/// Writes a volume of a pod for one of the set's claim templates, as an object that is still open.
JsonWriter& begin_claim_volume(JsonWriter& out, std::string_view claim_template,
                               std::string_view pod);

}  // namespace davit::statefulset

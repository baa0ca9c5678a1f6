/// The bytes, the hash and the name of a ControllerRevision. Pure.
///
/// Rules: docs/spec/statefulset.md, 8.3 to 8.5. Other controller managers compare these bytes, so
/// they follow upstream to the byte.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/history/controller_revision.hpp"

namespace davit::history {

/// The way numbers take through upstream's encoder.
enum class Numbers : std::uint8_t {
  kFloat64,  ///< StatefulSets: integers above 2^53 are rounded.
  kExact,    ///< DaemonSets.
};

/// The data of a revision of `pod_template`, which is spec.template as the server sent it: a
/// strategic-merge patch that replaces the template. Members with the value null are left out.
[[nodiscard]] std::string revision_data(Value pod_template, Numbers numbers);

/// A value in the encoding of revision_data(), with its null members.
[[nodiscard]] std::string canonical_json(Value value, Numbers numbers);

/// Whether a revision contains exactly `data`, which is a result of revision_data() with the same
/// `numbers`. The order of members and white space do not count.
[[nodiscard]] bool has_data(const ControllerRevision& revision, std::string_view data,
                            Numbers numbers);

/// The identifier of `data`: FNV-1 over it and the decimal collision count, spelled in an alphabet
/// that is safe in names. `collision_count`: none adds nothing, which differs from 0.
[[nodiscard]] std::string revision_hash(std::string_view data,
                                        std::optional<std::int64_t> collision_count);

/// "<owner>-<hash>", the owner's name cut after 223 bytes.
[[nodiscard]] std::string revision_name(std::string_view owner, std::string_view hash);

}  // namespace davit::history

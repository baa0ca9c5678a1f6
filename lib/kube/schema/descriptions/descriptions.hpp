/// Descriptions of types and fields in OpenAPI, for `kubectl explain`.
///
/// A type is a line `package.Type: text`, a field of it a line `  name: text` below; lines that
/// begin with four blanks continue the one before. A line for a type may name several, with
/// blanks between them; the texts are then those of each. Inlined fields are listed at the type
/// that is inlined.
/// `(kinds)`, `(conditions)`, `(volumes)` and `(all)` hold texts for fields of that name in every
/// kind, every type named …Condition or …VolumeSource, and every type.
#pragma once

#include <string_view>

namespace davit {

[[nodiscard]] std::string_view meta_descriptions();
[[nodiscard]] std::string_view core_descriptions();
[[nodiscard]] std::string_view core_pod_descriptions();
[[nodiscard]] std::string_view core_volumes_descriptions();
[[nodiscard]] std::string_view workloads_descriptions();
[[nodiscard]] std::string_view access_descriptions();
[[nodiscard]] std::string_view devices_descriptions();
[[nodiscard]] std::string_view extensions_descriptions();
[[nodiscard]] std::string_view other_groups_descriptions();

}  // namespace davit

/// The fields of the API's types, one function per package. Sources by tools/kubernetes_tables.
///
/// A type is a line `Name: number name:type flags, …`; a line that begins with a space continues
/// the previous one. The number is the protobuf field's, the name is JSON's. Types: `s` string, `i`
/// int32, `l` int64, `d` double, `b` boolean, `y` bytes, `{T}` map from string to T, a name of the
/// same package, or `package.Name`; Time, MicroTime, Quantity, IntOrString, RawExtension, FieldsV1,
/// JSON, ExtraValue and SchemaOr… (FieldType) are values of their own. `[]` behind the name: a
/// list. Flags: `?` pointer, absent and zero differ; `!` written even if empty; `^` the type's
/// members belong to the parent in JSON.
#pragma once

#include <string_view>

namespace davit {

[[nodiscard]] std::string_view meta_fields();
[[nodiscard]] std::string_view core_fields();
[[nodiscard]] std::string_view apps_fields();
[[nodiscard]] std::string_view batch_fields();
[[nodiscard]] std::string_view coordination_fields();
[[nodiscard]] std::string_view discovery_fields();
[[nodiscard]] std::string_view events_fields();
[[nodiscard]] std::string_view policy_fields();
[[nodiscard]] std::string_view autoscaling_fields();
[[nodiscard]] std::string_view autoscaling_v2_fields();
[[nodiscard]] std::string_view certificates_fields();
[[nodiscard]] std::string_view authentication_fields();
[[nodiscard]] std::string_view authorization_fields();
[[nodiscard]] std::string_view rbac_fields();
[[nodiscard]] std::string_view scheduling_fields();
[[nodiscard]] std::string_view networking_fields();
[[nodiscard]] std::string_view node_fields();
[[nodiscard]] std::string_view storage_fields();
[[nodiscard]] std::string_view admission_registration_fields();
[[nodiscard]] std::string_view flow_control_fields();
[[nodiscard]] std::string_view resource_fields();
[[nodiscard]] std::string_view resource_v1beta2_fields();
[[nodiscard]] std::string_view api_registration_fields();
[[nodiscard]] std::string_view api_extensions_fields();

}  // namespace davit

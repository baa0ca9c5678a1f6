// The facts of cel-go's common/stdlib, cel/library.go and ext/, and of k8s.io/apiserver's
// pkg/cel/library, as the environment of Kubernetes v1.36 enables them.
#include "lib/cel/declarations.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::cel {

namespace {

/// An overload as text: `(int) -> bool` is a function, `string.(int) -> bool` a member of string.
struct Row {
  std::string_view function;
  std::string_view id;
  std::string_view signature;
};

/// Types that Kubernetes' lists compare: what % stands for.
constexpr std::string_view kComparable[] = {"int",      "uint",      "double", "bool",
                                            "duration", "timestamp", "string", "bytes"};

// clang-format off
constexpr Row kRows[] = {
    // Operators.
    {"_?_:_", "conditional", "(bool, A, A) -> A"},
    {"_&&_", "logical_and", "(bool, bool) -> bool"},
    {"_||_", "logical_or", "(bool, bool) -> bool"},
    {"!_", "logical_not", "(bool) -> bool"},
    {"@not_strictly_false", "not_strictly_false", "(bool) -> bool"},
    {"_==_", "equals", "(A, A) -> bool"},
    {"_!=_", "not_equals", "(A, A) -> bool"},
    // Arithmetic.
    {"_+_", "add_bytes", "(bytes, bytes) -> bytes"},
    {"_+_", "add_double", "(double, double) -> double"},
    {"_+_", "add_duration_duration", "(duration, duration) -> duration"},
    {"_+_", "add_duration_timestamp", "(duration, timestamp) -> timestamp"},
    {"_+_", "add_timestamp_duration", "(timestamp, duration) -> timestamp"},
    {"_+_", "add_int64", "(int, int) -> int"},
    {"_+_", "add_list", "(list(A), list(A)) -> list(A)"},
    {"_+_", "add_string", "(string, string) -> string"},
    {"_+_", "add_uint64", "(uint, uint) -> uint"},
    {"_/_", "divide_double", "(double, double) -> double"},
    {"_/_", "divide_int64", "(int, int) -> int"},
    {"_/_", "divide_uint64", "(uint, uint) -> uint"},
    {"_%_", "modulo_int64", "(int, int) -> int"},
    {"_%_", "modulo_uint64", "(uint, uint) -> uint"},
    {"_*_", "multiply_double", "(double, double) -> double"},
    {"_*_", "multiply_int64", "(int, int) -> int"},
    {"_*_", "multiply_uint64", "(uint, uint) -> uint"},
    {"-_", "negate_double", "(double) -> double"},
    {"-_", "negate_int64", "(int) -> int"},
    {"_-_", "subtract_double", "(double, double) -> double"},
    {"_-_", "subtract_duration_duration", "(duration, duration) -> duration"},
    {"_-_", "subtract_int64", "(int, int) -> int"},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration) -> timestamp"},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration"},
    {"_-_", "subtract_uint64", "(uint, uint) -> uint"},
    // Lists, maps and optional values.
    {"_[_]", "index_list", "(list(A), int) -> A"},
    {"_[_]", "index_map", "(map(A, B), A) -> B"},
    {"_[_]", "optional_list_index_int", "(optional(list(V)), int) -> optional(V)"},
    {"_[_]", "optional_map_index_value", "(optional(map(K, V)), K) -> optional(V)"},
    {"_[?_]", "list_optindex_optional_int", "(list(V), int) -> optional(V)"},
    {"_[?_]", "optional_list_optindex_optional_int", "(optional(list(V)), int) -> optional(V)"},
    {"_[?_]", "map_optindex_optional_value", "(map(K, V), K) -> optional(V)"},
    {"_[?_]", "optional_map_optindex_optional_value", "(optional(map(K, V)), K) -> optional(V)"},
    {"@in", "in_list", "(A, list(A)) -> bool"},
    {"@in", "in_map", "(A, map(A, B)) -> bool"},
    {"size", "size_bytes", "(bytes) -> int"},
    {"size", "bytes_size", "bytes.() -> int"},
    {"size", "size_list", "(list(A)) -> int"},
    {"size", "list_size", "list(A).() -> int"},
    {"size", "size_map", "(map(A, B)) -> int"},
    {"size", "map_size", "map(A, B).() -> int"},
    {"size", "size_string", "(string) -> int"},
    {"size", "string_size", "string.() -> int"},
    {"optional.of", "optional_of", "(V) -> optional(V)"},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) -> optional(V)"},
    {"optional.none", "optional_none", "() -> optional(V)"},
    {"value", "optional_value", "optional(V).() -> V"},
    {"hasValue", "optional_hasValue", "optional(V).() -> bool"},
    {"or", "optional_or_optional", "optional(V).(optional(V)) -> optional(V)"},
    {"orValue", "optional_orValue_value", "optional(V).(V) -> V"},
    {"last", "list_last", "list(V).() -> optional(V)"},
    {"first", "list_first", "list(V).() -> optional(V)"},
    {"optional.unwrap", "optional_unwrap", "(list(optional(V))) -> list(V)"},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional(V)).() -> list(V)"},
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) -> map(K, V)"},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)"},
    // Conversions.
    {"type", "type", "(A) -> type(A)"},
    {"bool", "bool_to_bool", "(bool) -> bool"},
    {"bool", "string_to_bool", "(string) -> bool"},
    {"bytes", "bytes_to_bytes", "(bytes) -> bytes"},
    {"bytes", "string_to_bytes", "(string) -> bytes"},
    {"double", "double_to_double", "(double) -> double"},
    {"double", "int64_to_double", "(int) -> double"},
    {"double", "string_to_double", "(string) -> double"},
    {"double", "uint64_to_double", "(uint) -> double"},
    {"duration", "duration_to_duration", "(duration) -> duration"},
    {"duration", "int64_to_duration", "(int) -> duration"},
    {"duration", "string_to_duration", "(string) -> duration"},
    {"dyn", "to_dyn", "(A) -> dyn"},
    {"int", "int64_to_int64", "(int) -> int"},
    {"int", "double_to_int64", "(double) -> int"},
    {"int", "duration_to_int64", "(duration) -> int"},
    {"int", "string_to_int64", "(string) -> int"},
    {"int", "timestamp_to_int64", "(timestamp) -> int"},
    {"int", "uint64_to_int64", "(uint) -> int"},
    {"string", "string_to_string", "(string) -> string"},
    {"string", "bool_to_string", "(bool) -> string"},
    {"string", "bytes_to_string", "(bytes) -> string"},
    {"string", "double_to_string", "(double) -> string"},
    {"string", "duration_to_string", "(duration) -> string"},
    {"string", "int64_to_string", "(int) -> string"},
    {"string", "timestamp_to_string", "(timestamp) -> string"},
    {"string", "uint64_to_string", "(uint) -> string"},
    {"timestamp", "timestamp_to_timestamp", "(timestamp) -> timestamp"},
    {"timestamp", "int64_to_timestamp", "(int) -> timestamp"},
    {"timestamp", "string_to_timestamp", "(string) -> timestamp"},
    {"uint", "uint64_to_uint64", "(uint) -> uint"},
    {"uint", "double_to_uint64", "(double) -> uint"},
    {"uint", "int64_to_uint64", "(int) -> uint"},
    {"uint", "string_to_uint64", "(string) -> uint"},
    // Strings.
    {"contains", "contains_string", "string.(string) -> bool"},
    {"endsWith", "ends_with_string", "string.(string) -> bool"},
    {"startsWith", "starts_with_string", "string.(string) -> bool"},
    {"matches", "matches", "(string, string) -> bool"},
    {"matches", "matches_string", "string.(string) -> bool"},
    {"charAt", "string_char_at_int", "string.(int) -> string"},
    {"indexOf", "string_index_of_string", "string.(string) -> int"},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int"},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int"},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int"},
    {"lowerAscii", "string_lower_ascii", "string.() -> string"},
    {"replace", "string_replace_string_string", "string.(string, string) -> string"},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string"},
    {"split", "string_split_string", "string.(string) -> list(string)"},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)"},
    {"substring", "string_substring_int", "string.(int) -> string"},
    {"substring", "string_substring_int_int", "string.(int, int) -> string"},
    {"trim", "string_trim", "string.() -> string"},
    {"upperAscii", "string_upper_ascii", "string.() -> string"},
    {"format", "string_format", "string.(list(dyn)) -> string"},
    {"strings.quote", "strings_quote", "(string) -> string"},
    {"join", "list_join", "list(string).() -> string"},
    {"join", "list_join_string", "list(string).(string) -> string"},
    {"find", "string_find_string", "string.(string) -> string"},
    {"findAll", "string_find_all_string", "string.(string) -> list(string)"},
    {"findAll", "string_find_all_string_int", "string.(string, int) -> list(string)"},
    {"jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", "(string) -> string"},
    // Times.
    {"getFullYear", "timestamp_to_year", "timestamp.() -> int"},
    {"getFullYear", "timestamp_to_year_with_tz", "timestamp.(string) -> int"},
    {"getMonth", "timestamp_to_month", "timestamp.() -> int"},
    {"getMonth", "timestamp_to_month_with_tz", "timestamp.(string) -> int"},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp.() -> int"},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", "timestamp.(string) -> int"},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp.() -> int"},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", "timestamp.(string) -> int"},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp.() -> int"},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) -> int"},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp.() -> int"},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", "timestamp.(string) -> int"},
    {"getHours", "timestamp_to_hours", "timestamp.() -> int"},
    {"getHours", "timestamp_to_hours_with_tz", "timestamp.(string) -> int"},
    {"getHours", "duration_to_hours", "duration.() -> int"},
    {"getMinutes", "timestamp_to_minutes", "timestamp.() -> int"},
    {"getMinutes", "timestamp_to_minutes_with_tz", "timestamp.(string) -> int"},
    {"getMinutes", "duration_to_minutes", "duration.() -> int"},
    {"getSeconds", "timestamp_to_seconds", "timestamp.() -> int"},
    {"getSeconds", "timestamp_to_seconds_tz", "timestamp.(string) -> int"},
    {"getSeconds", "duration_to_seconds", "duration.() -> int"},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp.() -> int"},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int"},
    {"getMilliseconds", "duration_to_milliseconds", "duration.() -> int"},
    // Lists. Rows with % stand for one overload per comparable type.
    {"isSorted", "list_%_is_sorted_bool", "list(%).() -> bool"},
    {"max", "list_%_max_%", "list(%).() -> %"},
    {"min", "list_%_min_%", "list(%).() -> %"},
    {"sum", "list_int_sum_int", "list(int).() -> int"},
    {"sum", "list_uint_sum_uint", "list(uint).() -> uint"},
    {"sum", "list_double_sum_double", "list(double).() -> double"},
    {"sum", "list_duration_sum_duration", "list(duration).() -> duration"},
    {"indexOf", "list_a_index_of_int", "list(A).(A) -> int"},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) -> int"},
    {"slice", "list_slice", "list(T).(int, int) -> list(T)"},
    {"flatten", "list_flatten", "list(list(T)).() -> list(T)"},
    {"flatten", "list_flatten_int", "list(dyn).(int) -> list(dyn)"},
    {"sort", "list_%_sort", "list(%).() -> list(%)"},
    {"@sortByAssociatedKeys", "list_%_sortByAssociatedKeys", "list(T).(list(%)) -> list(T)"},
    {"lists.range", "lists_range", "(int) -> list(int)"},
    {"reverse", "list_reverse", "list(T).() -> list(T)"},
    {"distinct", "list_distinct", "list(T).() -> list(T)"},
    {"sets.contains", "list_sets_contains_list", "(list(T), list(T)) -> bool"},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) -> bool"},
    {"sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) -> bool"},
    // URLs.
    {"url", "string_to_url", "(string) -> URL"},
    {"getScheme", "url_get_scheme", "URL.() -> string"},
    {"getHost", "url_get_host", "URL.() -> string"},
    {"getHostname", "url_get_hostname", "URL.() -> string"},
    {"getPort", "url_get_port", "URL.() -> string"},
    {"getEscapedPath", "url_get_escaped_path", "URL.() -> string"},
    {"getQuery", "url_get_query", "URL.() -> map(string, list(string))"},
    {"isURL", "is_url_string", "(string) -> bool"},
    // IP addresses and CIDRs.
    {"ip", "string_to_ip", "(string) -> IP"},
    {"ip", "cidr_ip", "CIDR.() -> IP"},
    {"family", "ip_family", "IP.() -> int"},
    {"ip.isCanonical", "ip_is_canonical", "(string) -> bool"},
    {"isUnspecified", "ip_is_unspecified", "IP.() -> bool"},
    {"isLoopback", "ip_is_loopback", "IP.() -> bool"},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "IP.() -> bool"},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "IP.() -> bool"},
    {"isGlobalUnicast", "ip_is_global_unicast", "IP.() -> bool"},
    {"isIP", "is_ip", "(string) -> bool"},
    {"string", "ip_to_string", "(IP) -> string"},
    {"cidr", "string_to_cidr", "(string) -> CIDR"},
    {"containsIP", "cidr_contains_ip_string", "CIDR.(string) -> bool"},
    {"containsIP", "cidr_contains_ip_ip", "CIDR.(IP) -> bool"},
    {"containsCIDR", "cidr_contains_cidr_string", "CIDR.(string) -> bool"},
    {"containsCIDR", "cidr_contains_cidr", "CIDR.(CIDR) -> bool"},
    {"prefixLength", "cidr_prefix_length", "CIDR.() -> int"},
    {"masked", "cidr_masked", "CIDR.() -> CIDR"},
    {"isCIDR", "is_cidr", "(string) -> bool"},
    {"string", "cidr_to_string", "(CIDR) -> string"},
    // Quantities and versions.
    {"quantity", "string_to_quantity", "(string) -> Quantity"},
    {"isQuantity", "is_quantity_string", "(string) -> bool"},
    {"sign", "quantity_sign", "(Quantity) -> int"},
    {"isGreaterThan", "quantity_is_greater_than", "Quantity.(Quantity) -> bool"},
    {"isLessThan", "quantity_is_less_than", "Quantity.(Quantity) -> bool"},
    {"compareTo", "quantity_compare_to", "Quantity.(Quantity) -> int"},
    {"asApproximateFloat", "quantity_get_float", "Quantity.() -> double"},
    {"asInteger", "quantity_get_int", "Quantity.() -> int"},
    {"isInteger", "quantity_is_integer", "Quantity.() -> bool"},
    {"add", "quantity_add", "Quantity.(Quantity) -> Quantity"},
    {"add", "quantity_add_int", "Quantity.(int) -> Quantity"},
    {"sub", "quantity_sub", "Quantity.(Quantity) -> Quantity"},
    {"sub", "quantity_sub_int", "Quantity.(int) -> Quantity"},
    {"semver", "string_to_semver", "(string) -> Semver"},
    {"semver", "string_bool_to_semver", "(string, bool) -> Semver"},
    {"isSemver", "is_semver_string", "(string) -> bool"},
    {"isSemver", "is_semver_string_bool", "(string, bool) -> bool"},
    {"isGreaterThan", "semver_is_greater_than", "Semver.(Semver) -> bool"},
    {"isLessThan", "semver_is_less_than", "Semver.(Semver) -> bool"},
    {"compareTo", "semver_compare_to", "Semver.(Semver) -> int"},
    {"major", "semver_major", "Semver.() -> int"},
    {"minor", "semver_minor", "Semver.() -> int"},
    {"patch", "semver_patch", "Semver.() -> int"},
    // Formats.
    {"validate", "format-validate", "NamedFormat.(string) -> optional(list(string))"},
    {"format.named", "format-named", "(string) -> optional(NamedFormat)"},
    {"format.dns1123Label", "format.dns1123Label", "() -> NamedFormat"},
    {"format.dns1123Subdomain", "format.dns1123Subdomain", "() -> NamedFormat"},
    {"format.dns1035Label", "format.dns1035Label", "() -> NamedFormat"},
    {"format.qualifiedName", "format.qualifiedName", "() -> NamedFormat"},
    {"format.dns1123LabelPrefix", "format.dns1123LabelPrefix", "() -> NamedFormat"},
    {"format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix", "() -> NamedFormat"},
    {"format.dns1035LabelPrefix", "format.dns1035LabelPrefix", "() -> NamedFormat"},
    {"format.labelValue", "format.labelValue", "() -> NamedFormat"},
    {"format.uri", "format.uri", "() -> NamedFormat"},
    {"format.uuid", "format.uuid", "() -> NamedFormat"},
    {"format.byte", "format.byte", "() -> NamedFormat"},
    {"format.date", "format.date", "() -> NamedFormat"},
    {"format.datetime", "format.datetime", "() -> NamedFormat"},
    // The authorizer of admission policies.
    {"path", "authorizer_path", "Authorizer.(string) -> PathCheck"},
    {"group", "authorizer_group", "Authorizer.(string) -> GroupCheck"},
    {"serviceAccount", "authorizer_serviceaccount", "Authorizer.(string, string) -> Authorizer"},
    {"resource", "groupcheck_resource", "GroupCheck.(string) -> ResourceCheck"},
    {"subresource", "resourcecheck_subresource", "ResourceCheck.(string) -> ResourceCheck"},
    {"namespace", "resourcecheck_namespace", "ResourceCheck.(string) -> ResourceCheck"},
    {"name", "resourcecheck_name", "ResourceCheck.(string) -> ResourceCheck"},
    {"fieldSelector", "authorizer_fieldselector", "ResourceCheck.(string) -> ResourceCheck"},
    {"labelSelector", "authorizer_labelselector", "ResourceCheck.(string) -> ResourceCheck"},
    {"check", "pathcheck_check", "PathCheck.(string) -> Decision"},
    {"check", "resourcecheck_check", "ResourceCheck.(string) -> Decision"},
    {"errored", "decision_errored", "Decision.() -> bool"},
    {"error", "decision_error", "Decision.() -> string"},
    {"allowed", "decision_allowed", "Decision.() -> bool"},
    {"reason", "decision_reason", "Decision.() -> string"},
};
// clang-format on

/// The order of two values: each row stands for <, <=, > and >=.
constexpr std::pair<std::string_view, std::string_view> kOrdered[] = {
    {"bool", "(bool, bool) -> bool"},
    {"int64", "(int, int) -> bool"},
    {"int64_double", "(int, double) -> bool"},
    {"int64_uint64", "(int, uint) -> bool"},
    {"uint64", "(uint, uint) -> bool"},
    {"uint64_double", "(uint, double) -> bool"},
    {"uint64_int64", "(uint, int) -> bool"},
    {"double", "(double, double) -> bool"},
    {"double_int64", "(double, int) -> bool"},
    {"double_uint64", "(double, uint) -> bool"},
    {"string", "(string, string) -> bool"},
    {"bytes", "(bytes, bytes) -> bool"},
    {"timestamp", "(timestamp, timestamp) -> bool"},
    {"duration", "(duration, duration) -> bool"},
};
constexpr std::pair<std::string_view, std::string_view> kOrders[] = {
    {"_<_", "less_"}, {"_<=_", "less_equals_"}, {"_>_", "greater_"}, {"_>=_", "greater_equals_"}};

/// Identifiers that stand for types.
constexpr std::string_view kTypeNames[] = {"bool",   "bytes", "double", "int",
                                           "string", "uint",  "type"};
constexpr std::pair<std::string_view, std::string_view> kOtherTypes[] = {
    {"list", "list(dyn)"},
    {"map", "map(dyn, dyn)"},
    {"null_type", "null"},
    {"optional_type", "optional(V)"},
    {"net.IP", "IP"},
    {"net.CIDR", "CIDR"},
    {"kubernetes.URL", "URL"},
    {"kubernetes.Quantity", "Quantity"},
    {"kubernetes.Semver", "Semver"},
    {"kubernetes.NamedFormat", "NamedFormat"},
    {"google.protobuf.Duration", "duration"},
    {"google.protobuf.Timestamp", "timestamp"}};

bool has_parameter(const Type& type) {
  if (type.kind == TypeKind::kParam) return true;
  for (const TypePtr& each : type.parameters) {
    if (has_parameter(*each)) return true;
  }
  return false;
}

/// Adds the types of "int, list(A)".
void read_arguments(std::string_view text, std::vector<TypePtr>& out) {
  while (!text.empty()) {
    std::size_t end = 0;
    for (int depth = 0; end < text.size() && (text[end] != ',' || depth != 0); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    out.push_back(type_literal(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 2));
  }
}

Overload overload(std::string id, std::string_view signature) {
  Overload out;
  out.id = std::move(id);
  const std::size_t arrow = signature.find(" -> ");
  DAVIT_ASSERT(arrow != std::string_view::npos);
  out.result = type_literal(signature.substr(arrow + 4));
  signature = signature.substr(0, arrow - 1);
  if (const std::size_t dot = signature.find(".("); dot != std::string_view::npos) {
    out.style = Overload::Style::kMember;
    out.arguments.push_back(type_literal(signature.substr(0, dot)));
    signature.remove_prefix(dot + 1);
  }
  read_arguments(signature.substr(1), out.arguments);
  out.generic = has_parameter(*out.result);
  for (const TypePtr& each : out.arguments) out.generic = out.generic || has_parameter(*each);
  return out;
}

std::string replaced(std::string_view text, std::string_view type) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += type;
    } else {
      out += c;
    }
  }
  return out;
}

using Functions = std::map<std::string, std::vector<Overload>, std::less<>>;

Functions read_tables() {
  Functions out;
  for (const Row& row : kRows) {
    std::vector<Overload>& overloads = out[std::string(row.function)];
    if (row.id.find('%') == std::string_view::npos) {
      overloads.push_back(overload(std::string(row.id), row.signature));
      continue;
    }
    for (const std::string_view type : kComparable) {
      overloads.push_back(overload(replaced(row.id, type), replaced(row.signature, type)));
    }
  }
  for (const auto& [function, prefix] : kOrders) {
    for (const auto& [suffix, signature] : kOrdered) {
      out[std::string(function)].push_back(overload(std::string(prefix).append(suffix), signature));
    }
  }
  return out;
}

using Types = std::map<std::string, TypePtr, std::less<>>;

Types read_types() {
  Types out;
  for (const std::string_view name : kTypeNames) out.emplace(name, type_literal(name));
  for (const auto& [name, type] : kOtherTypes) out.emplace(name, type_literal(type));
  return out;
}

const Functions& functions() {
  static const Functions kFunctions = read_tables();
  return kFunctions;
}

}  // namespace

std::vector<std::string> function_names() {
  std::vector<std::string> out;
  for (const auto& [name, overloads] : functions()) out.push_back(name);
  return out;
}

const std::vector<Overload>* find_function(std::string_view name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : &found->second;
}

TypePtr find_type(std::string_view name) {
  static const Types kTypes = read_types();
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? nullptr : found->second;
}

}  // namespace davit::cel

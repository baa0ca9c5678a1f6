/// Checks that the rules of many kinds share. Each adds what it finds to `errors`, in the words of
/// the real server.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/kinds/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

inline constexpr std::string_view kFieldImmutable = "field is immutable";
inline constexpr std::string_view kNotNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kSelectorMismatch = "`selector` does not match template `labels`";

/// One Invalid for each complaint.
void add_invalid(const Complaints& complaints, std::string_view value, const FieldPath& path,
                 FieldErrors& errors);
/// A member that must not be empty; false when it is.
bool require_text(const Json& object, std::string_view field, const FieldPath& path,
                  FieldErrors& errors);
/// `field` of `object`, when it is there, must not be below 0.
void check_not_negative(const Json& object, std::string_view field, const FieldPath& path,
                        FieldErrors& errors);
void check_not_negative(const Json& object, std::initializer_list<std::string_view> fields,
                        const FieldPath& path, FieldErrors& errors);
/// `field` of `object` must be one of `choices`, which are listed in that order when it is not;
/// Required when it is empty.
void check_choice(const Json& object, std::string_view field,
                  std::initializer_list<std::string_view> choices, const FieldPath& path,
                  FieldErrors& errors);
/// A member of a union, such as a volume's source, and the rules of its value.
struct UnionMember {
  std::string_view name;
  void (*check)(const Json& value, const FieldPath& path, FieldErrors& errors);
};
/// Checks the first of `members` that `object` sets and forbids the others: "may not specify more
/// than 1 `what`". Returns how many are set.
int check_union(const Json& object, std::span<const UnionMember> members, std::string_view what,
                const FieldPath& path, FieldErrors& errors);
/// The error for a second member.
[[nodiscard]] FieldError more_than_one(std::string_view what, std::string field);

/// `field` must be as in `old`.
void check_immutable(const Json& object, const Json& old, std::string_view field,
                     const FieldPath& path, FieldErrors& errors);

/// 1 to 65535.
void check_port(const Json& port, const FieldPath& path, FieldErrors& errors);
/// A port's number or its name.
void check_port_or_name(const Json& port, const FieldPath& path, FieldErrors& errors);
inline constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
/// "must be between 1 and 65535, inclusive"
[[nodiscard]] std::string range_text(std::int64_t low, std::int64_t high);

/// A number from 0 on or a text such as "25%".
void check_int_or_percent(const Json& value, const FieldPath& path, FieldErrors& errors);
void check_at_most_100_percent(const Json& value, const FieldPath& path, FieldErrors& errors);
/// The number, or that before '%'; 0 for what is neither.
[[nodiscard]] std::int64_t int_or_percent_value(const Json& value);

/// Whether a member has a value: it is there and not null. What Go holds as a non-nil pointer.
[[nodiscard]] inline bool is_set(const Json& object, std::string_view field) {
  return !object.get(field).is_null();
}

/// Sets a member that is missing or null.
void set_default(Json& object, std::string_view key, std::string_view text);
void set_default(Json& object, std::string_view key, std::int64_t number);
/// Like the above, and also replaces "" and 0, which Go holds without a pointer.
void replace_empty(Json& object, std::string_view key, std::string_view text);
void replace_empty(Json& object, std::string_view key, std::int64_t number);
/// The member as an object, made when missing or null.
Json& object_member(Json& object, std::string_view key);

}  // namespace davit::sandbox

/// Checks that the rules of many kinds share. Each adds its findings to `errors`, in the words of
/// the real server.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"
#include "lib/kube/validation/schema_node.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

inline constexpr std::string_view kNotNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kSelectorMismatch = "`selector` does not match template `labels`";

/// Adds one Invalid for each violation.
void add_invalid(const Violations& violations, std::string_view value, const FieldPath& path,
                 FieldErrors& errors);
/// Checks that a member is not empty; false if it is.
bool require_text(const Json& object, std::string_view field, const FieldPath& path,
                  FieldErrors& errors);
/// "acme.io/foo": a DNS subdomain, a slash and a path. k8s: IsDomainPrefixedPath.
void check_domain_prefixed_path(std::string_view text, const FieldPath& path, FieldErrors& errors);
/// A member of a union, such as a volume's source, and the rules of its value: the constraints of
/// `type`, unless empty, and then `check`, unless null.
struct UnionMember {
  std::string_view name;
  std::string_view type = {};
  void (*check)(const Json& value, const FieldPath& path, FieldErrors& errors) = nullptr;
};
void check_union_member(const UnionMember& member, const Json& value, const FieldPath& path,
                        FieldErrors& errors);
/// Checks the first of `members` that `object` sets and forbids the others: "may not specify more
/// than 1 `what`". Returns the number of those that are set.
int check_union(const Json& object, std::span<const UnionMember> members, std::string_view what,
                const FieldPath& path, FieldErrors& errors);
/// The error for a second member.
[[nodiscard]] FieldError more_than_one(std::string_view what, std::string field);

/// Checks that `field` is as in `old`.
void check_immutable(const Json& object, const Json& old, std::string_view field,
                     const FieldPath& path, FieldErrors& errors);

/// Whether a member is present and not null, which Go represents as a non-nil pointer.
[[nodiscard]] inline bool is_set(const Json& object, std::string_view field) {
  return !object.get(field).is_null();
}

/// Sets a member that is missing or null.
void set_default(Json& object, std::string_view key, std::string_view text);
void set_default(Json& object, std::string_view key, std::int64_t number);
/// The same for a boolean, without conversion to a number.
void set_default(Json& object, std::string_view key, std::same_as<bool> auto flag) {
  if (!is_set(object, key)) object.set(key, flag);
}
/// Like set_default(), and also replaces "" and 0, for members that Go stores without a pointer.
void replace_empty(Json& object, std::string_view key, std::string_view text);
void replace_empty(Json& object, std::string_view key, std::int64_t number);
/// The member as an object, created if missing or null.
Json& object_member(Json& object, std::string_view key);

}  // namespace davit::sandbox

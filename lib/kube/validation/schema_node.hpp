/// The validator: checks a value against a schema, of a custom resource or of a built-in kind.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/constraints.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "lib/kube/validation/formats.hpp"
#include "lib/kube/validation/pattern.hpp"

namespace davit {

/// A limit of a number as it was written, for messages, and as it is compared.
struct NumberLimit {
  std::string text;
  long double value = 0;  // Holds every int64 exactly.
  bool exclusive = false;
};

/// One node of a schema: a custom resource's, or the constraints of a built-in kind. Owns what is
/// below it; immutable once compiled.
struct SchemaNode {
  struct Property {
    std::string name;
    std::unique_ptr<SchemaNode> node;
  };

  // Structure.
  std::string type;  ///< "object", "array", "string", …; empty: any.
  bool nullable = false;
  bool preserve_unknown = false;
  bool int_or_string = false;
  bool embedded_resource = false;
  std::vector<Property> properties;  ///< Custom: by name. Built in: in the order of checks.
  std::unique_ptr<SchemaNode> items;
  std::unique_ptr<SchemaNode> additional;  ///< additionalProperties with a schema.
  bool any_additional = false;             ///< additionalProperties: true.
  std::optional<Json> fallback;            ///< default
  std::string list_type;
  std::vector<std::string> list_keys;
  std::string map_type;

  // Values.
  std::vector<std::string> required;
  std::vector<Json> allowed;  ///< enum
  std::string format;
  std::optional<NumberLimit> minimum;
  std::optional<NumberLimit> maximum;
  std::optional<NumberLimit> multiple_of;
  std::optional<std::size_t> length_min;
  std::optional<std::size_t> length_max;
  std::optional<std::size_t> items_min;
  std::optional<std::size_t> items_max;
  std::optional<std::size_t> members_min;
  std::optional<std::size_t> members_max;
  bool unique_items = false;
  std::string pattern_text;
  std::optional<Pattern> pattern;
  std::vector<std::unique_ptr<SchemaNode>> all_of;
  std::vector<std::unique_ptr<SchemaNode>> any_of;
  std::vector<std::unique_ptr<SchemaNode>> one_of;
  std::unique_ptr<SchemaNode> negated;

  // Fields of built-in kinds only.
  Presence presence = Presence::kAlways;
  Json zero;  ///< A missing value that is checked counts as this.
  bool immutable = false;
  std::vector<FormatCheck> formats;
  std::string required_detail;  ///< Behind "Required value: ".
  std::string detail;           ///< The error of a wrong value; empty: what the constraint says.

  /// Custom resources only, like member().
  [[nodiscard]] const SchemaNode* property(std::string_view name) const;
  /// The schema of a member by its name: its own property, or additionalProperties. Null: none.
  [[nodiscard]] const SchemaNode* member(std::string_view name) const;
};

/// Checks a custom resource against all keywords but x-kubernetes-validations and those of lists
/// (list_types.hpp).
void check_value(const Json& object, const SchemaNode& schema, FieldErrors& errors);
/// Checks what replaces `old`, which may be null: a value that is as before has no errors.
/// k8s: ratcheting.go of k8s.io/apiextensions-apiserver/pkg/apiserver/validation.
void check_update(const Json& object, const Json* old, const SchemaNode& schema,
                  FieldErrors& errors);

/// Checks an object of a built-in type, such as "core.v1.PodSpec", against the table of constraints
/// (lib/kube/schema/constraints.hpp): all its fields in the table's order, or only `fields` in
/// theirs. The object may be null: a missing one. The table must have the type and the fields.
void check_fields(std::string_view type, const Json& object, const FieldPath& path,
                  FieldErrors& errors);
void check_fields(std::string_view type, const Json& object,
                  std::initializer_list<std::string_view> fields, const FieldPath& path,
                  FieldErrors& errors);
/// Checks that the immutable fields of the type are as in `old`.
void check_immutable_fields(std::string_view type, const Json& object, const Json& old,
                            const FieldPath& path, FieldErrors& errors);

inline constexpr std::string_view kFieldImmutable = "field is immutable";

/// The name of a value's type: "integer", "object", "null".
[[nodiscard]] std::string_view json_type(const Json& value);
[[nodiscard]] long double number_value(const Json& number);

}  // namespace davit

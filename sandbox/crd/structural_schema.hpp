/// StructuralSchema: the OpenAPI schema of a custom resource, compiled once per version.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/crd/pattern.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/schema/schema.hpp"

namespace davit::sandbox {

/// A limit of a number as it was written, for messages, and as it is compared.
struct NumberLimit {
  std::string text;
  long double value = 0;  // Holds every int64 exactly.
  bool exclusive = false;
};

/// One node of the schema. Owns what is below it; immutable once compiled.
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
  std::vector<Property> properties;  ///< Sorted by name.
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

  [[nodiscard]] const SchemaNode* property(std::string_view name) const;
  /// The schema of a member by its name: its own property, or additionalProperties. Null: none.
  [[nodiscard]] const SchemaNode* member(std::string_view name) const;
};

/// kInvalid when a pattern does not compile or the schema is too deep or too large.
[[nodiscard]] Result<std::unique_ptr<const SchemaNode>> compile_schema(const Json& schema);

/// Reports everything that makes a schema not structural, below the field `path`.
void check_structural(const Json& schema, const std::string& path, FieldErrors& errors);

/// Drops members that the schema does not have, except apiVersion, kind and metadata.
void prune(Json& object, const SchemaNode& schema, FieldFindings& findings);
/// Drops nulls where they are not allowed, then fills in the defaults.
void fill_defaults(Json& object, const SchemaNode& schema);
/// All keywords but x-kubernetes-validations, metadata left out.
void check_value(const Json& object, const SchemaNode& schema, FieldErrors& errors);

/// The name of a value's type: "integer", "object", "null".
[[nodiscard]] std::string_view json_type(const Json& value);
[[nodiscard]] long double number_value(const Json& number);

}  // namespace davit::sandbox

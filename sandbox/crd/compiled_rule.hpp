/// One rule of x-kubernetes-validations, compiled for the schema where it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/cel/ast.hpp"
#include "lib/cel/range.hpp"
#include "lib/cel/schema_type.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/validation/schema_node.hpp"

namespace davit::sandbox {

/// An element of x-kubernetes-validations as its author wrote it.
struct ValidationRule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;  ///< Empty: FieldValueInvalid.
  std::string field_path;
  std::optional<bool> optional_old_self;
};
[[nodiscard]] ValidationRule read_validation_rule(const Json& rule);

/// An expression after parser and checker.
struct CompiledExpression {
  std::shared_ptr<const cel::Expr> tree;  ///< Null if it is empty or wrong.
  std::string error;                      ///< The mistake in the server's words.
  std::uint64_t cost_max = 0;             ///< Estimated, for one value.
  bool uses_old_self = false;
};

/// Immutable and thread-safe.
struct CompiledRule {
  ValidationRule source;
  CompiledExpression rule;
  CompiledExpression message;
  std::string field_path;  ///< Normalized: ".a['b']" becomes "a.b" or "a[b]".
};

/// Compiles the rules of a schema. `type`: that of its values.
[[nodiscard]] CompiledRule compile_rule(ValidationRule source, const SchemaNode& schema,
                                        const cel::SchemaType& type);

/// The path of fields and keys that a rule's fieldPath names, without the leading dot. Nothing if
/// the schema has no such field.
[[nodiscard]] std::optional<std::string> normalized_field_path(const std::string& text,
                                                               const SchemaNode& schema);

/// The text without white space at its ends, as messages show rules.
[[nodiscard]] std::string trimmed(const std::string& text);

}  // namespace davit::sandbox

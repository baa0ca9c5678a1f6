/// Reading single schemas: what they say, and whether they contradict themselves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/yaml.hpp"

namespace davit::host::codegen {

/// The rules that a schema must follow.
enum class Strictness {
  kStructural,  ///< A CustomResourceDefinition: every value has a type, and nothing is a $ref.
  kOpenApi,
};

struct SchemaMistake {
  const YamlNode* at;
  std::string text;
};

/// The first thing that is wrong with a schema, without the schemas inside it.
[[nodiscard]] std::optional<SchemaMistake> check_schema(const YamlNode& schema,
                                                        Strictness strictness);

/// "object" also for a schema that has properties and no type; "" if it may be anything.
[[nodiscard]] std::string schema_type(const YamlNode& schema);
/// The $ref, also as the single element of allOf; null if there is none.
[[nodiscard]] const YamlNode* reference_of(const YamlNode& schema);
[[nodiscard]] bool is_true(const YamlNode& schema, std::string_view key);
/// Whether the list at `key` has this text.
[[nodiscard]] bool lists(const YamlNode& schema, std::string_view key, std::string_view text);
/// Without space at the ends.
[[nodiscard]] std::string description_of(const YamlNode& schema);
/// The default if it is a scalar.
[[nodiscard]] std::optional<std::string> default_of(const YamlNode& schema);

}  // namespace davit::host::codegen

/// Pieces of C++ source: literals, comments, names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/codegen/members.hpp"
#include "cli/codegen/type_model.hpp"

namespace davit::host::codegen {

/// A string literal of any bytes.
[[nodiscard]] std::string cpp_literal(std::string_view text);
/// Whether `text` is a namespace: identifiers with "::" between them, none a keyword.
[[nodiscard]] bool is_cpp_namespace(std::string_view text);
/// An index for Value: `&::davit::Names::spec` if the SDK knows the name, else a literal.
[[nodiscard]] std::string cpp_index(const std::string& json_name);
/// `///` lines, wrapped and without characters that could end or disguise the comment. Empty for
/// an empty text.
[[nodiscard]] std::string doc_comment(std::string_view text, std::string_view indent);

/// The identifiers of an object in C++.
[[nodiscard]] Members members_of(const Module& module, const ObjectType& object);

/// The enumerators of an enum's values, without kUnrecognized.
[[nodiscard]] std::vector<std::string> enumerators_of(const EnumType& type);

}  // namespace davit::host::codegen

/// "%s and %d".format([...]): the directives of cel-go's library of strings.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "lib/cel/value.hpp"

namespace davit::cel {

/// A directive: "%.3f".
struct FormatDirective {
  char verb = '\0';
  int precision = 6;
};

/// Formats one argument: appends to `out`, or says why not.
using FormatClause =
    std::function<Status(const FormatDirective&, std::size_t index, std::string& out)>;

/// Formats by the directives of `format`, which has `args` arguments; `clause` formats each of them
/// in turn. Returns the first failure of `clause`, or says which directive is wrong.
[[nodiscard]] Result<std::string> format_by(std::string_view format, std::size_t args,
                                            const FormatClause& clause);

/// "error during formatting: ...": the directive takes no argument of the type.
[[nodiscard]] Status wrong_format_argument(char verb, std::string_view type);

/// The text, or an error for wrong directives and arguments.
[[nodiscard]] Value format_text(std::string_view format, const ListValue& args);

}  // namespace davit::cel

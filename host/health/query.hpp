/// The query of a URL.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::host {

/// "verbose&exclude=a%20b" as {"verbose", ""}, {"exclude", "a b"}. Escapes that are none stay as
/// they are.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace davit::host

/// The query of a URL.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// "verbose&exclude=a%20b" as {"verbose", ""}, {"exclude", "a b"}. Pairs with a malformed escape or
/// a ';' are dropped, as Go's url.Query() does.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace davit

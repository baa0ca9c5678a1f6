/// The ratios of a table as a picture.
#pragma once

#include <string>

#include "bench/compare/table.hpp"

namespace davit::bench {

/// An SVG with a bar for each row that has a ratio, on a logarithmic axis. Bars to the left of the
/// line at 1 are rows where the last peer needs less.
[[nodiscard]] std::string chart(const Table& table, const std::string& title);

}  // namespace davit::bench

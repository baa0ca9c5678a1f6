/// A line of comma-separated values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// The fields of `line`. A quoted part may have commas, and "" for a quote. Nothing if a quote does
/// not end.
[[nodiscard]] std::optional<std::vector<std::string>> split_csv_line(std::string_view line);

}  // namespace davit

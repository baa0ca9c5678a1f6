/// The host's status as text for a terminal: `davit top` and `davit ctl status -o wide`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::host {

enum class Colours { kOff, kOn };

/// kOn only if standard output is a terminal that knows them and NO_COLOR (https://no-color.org) is
/// not set.
[[nodiscard]] Colours output_colours();

struct StatusTextOptions {
  Colours colours = Colours::kOff;
  std::size_t rows_max = 0;     ///< Lines; further ones are left out. 0: all.
  std::size_t columns_max = 0;  ///< Characters of a line. 0: all.
  /// The head of the column of numbers by which controllers are sorted, the largest first. Empty,
  /// or a head that there is not: the order of the document.
  std::string_view sort_by = {};
};

/// The head of the column of controllers' numbers after that of this head: the first one after "",
/// and "" after the last one.
[[nodiscard]] std::string_view number_column_after(std::string_view head);

/// Tables of the document that status_json() makes; members that are missing are shown as empty.
/// Ends with a line feed. Control characters of names do not reach the terminal.
[[nodiscard]] std::string status_text(const Json& status, const StatusTextOptions& options);

}  // namespace davit::host

/// The columns that Table output shows for each built-in kind.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

struct ColumnSet {
  std::vector<Column> columns;
  /// One cell for each column.
  Json::Items (*cells)(const Json& object, WallTime now) = nullptr;
};

/// Kinds without their own columns have Name and Created At.
[[nodiscard]] ColumnSet columns_of(std::string_view group, std::string_view plural);

}  // namespace davit::sandbox

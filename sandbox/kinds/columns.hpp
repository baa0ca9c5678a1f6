/// The columns that Table output shows for each built-in kind.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

struct ColumnSet {
  std::vector<Column> columns;
  /// One cell for each column.
  Json::Items (*cells)(const Json& object, WallTime now) = nullptr;
};

/// The columns of a kind as upstream's server shows them. The table is made by
/// tools/kubernetes_tables.
struct KindColumns {
  std::string_view group;
  std::string_view plural;
  /// "Name n|Ready s|IP s*": s string, n string of format "name", i integer, b boolean, d date;
  /// `*`: only with -o wide.
  std::string_view columns;
};

/// All kinds that have their own columns.
[[nodiscard]] std::span<const KindColumns> kind_columns();

/// Kinds without their own columns have Name and Created At.
[[nodiscard]] ColumnSet columns_of(std::string_view group, std::string_view plural);

}  // namespace davit::sandbox

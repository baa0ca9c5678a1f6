#include "sandbox/kinds/columns.hpp"

#include <algorithm>
#include <span>

#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {

namespace {

Json::Items plain_cells(const Json& object, WallTime) {
  return {name_of(object), object.text_at({"metadata", "creationTimestamp"})};
}

constexpr std::string_view kPlainColumns = "Name n|Created At d";

/// One column of KindColumns::columns: "IP s*".
Column parse_column(std::string_view text) {
  Column out;
  if (text.ends_with('*')) {
    out.priority = 1;
    text.remove_suffix(1);
  }
  switch (text.back()) {
    case 'i':
      out.type = "integer";
      break;
    case 'b':
      out.type = "boolean";
      break;
    case 'd':
      out.type = "date";
      break;
    case 'n':
      out.format = "name";
      break;
    default:
      break;
  }
  out.name = text.substr(0, text.size() - 2);
  out.description = out.format == "name" ? "Name must be unique within a namespace." : out.name;
  return out;
}

ColumnSet make_set(std::string_view rest, Cells cells) {
  ColumnSet out{{}, cells};
  while (!rest.empty()) {
    const std::string_view column = rest.substr(0, rest.find('|'));
    out.columns.push_back(parse_column(column));
    rest.remove_prefix(column.size() == rest.size() ? column.size() : column.size() + 1);
  }
  return out;
}

}  // namespace

ColumnSet columns_of(std::string_view group, std::string_view plural) {
  const auto fits = [&](const auto& each) { return each.group == group && each.plural == plural; };
  const std::span<const KindColumns> all = kind_columns();
  const auto columns = std::ranges::find_if(all, fits);
  if (columns == all.end()) return make_set(kPlainColumns, plain_cells);
  for (const auto& part : {workload_cells(), network_cells(), cluster_cells(), config_cells(),
                           storage_cells(), extension_cells()}) {
    const auto cells = std::ranges::find_if(part, fits);
    if (cells != part.end()) return make_set(columns->columns, cells->cells);
  }
  return make_set(kPlainColumns, plain_cells);
}

}  // namespace davit::sandbox

#include "sandbox/kinds/columns.hpp"

#include <span>

#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {

namespace {

Json::Items plain_cells(const Json& object, WallTime) {
  return {name_of(object), object.text_at({"metadata", "creationTimestamp"})};
}

constexpr KindColumns kPlain{"", "", "Name n|Created At d", plain_cells};

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

ColumnSet make_set(const KindColumns& kind) {
  ColumnSet out{{}, kind.cells};
  std::string_view rest = kind.columns;
  while (!rest.empty()) {
    const std::string_view column = rest.substr(0, rest.find('|'));
    out.columns.push_back(parse_column(column));
    rest.remove_prefix(column.size() == rest.size() ? column.size() : column.size() + 1);
  }
  return out;
}

}  // namespace

ColumnSet columns_of(std::string_view group, std::string_view plural) {
  for (const auto& room : {workload_columns(), network_columns(), cluster_columns(),
                           config_columns(), storage_columns(), extension_columns()}) {
    for (const KindColumns& each : room) {
      if (each.group == group && each.plural == plural) return make_set(each);
    }
  }
  return make_set(kPlain);
}

}  // namespace davit::sandbox

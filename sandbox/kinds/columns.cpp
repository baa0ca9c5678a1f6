#include "sandbox/kinds/columns.hpp"

namespace davit::sandbox {

namespace {

Json::Items plain_cells(const Json& object, host::WallTime) {
  return {object.text_at({"metadata", "name"}), object.text_at({"metadata", "creationTimestamp"})};
}

}  // namespace

ColumnSet columns_of(std::string_view, std::string_view) {
  return {{{"Name", "string", "name", "Name must be unique within a namespace.", 0},
           {"Created At", "date", "", "When the object was created.", 0}},
          plain_cells};
}

}  // namespace davit::sandbox

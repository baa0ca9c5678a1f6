/// Rows of tables as tests write them: an object, and its cells as JSON.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/time.hpp>
#include <string>
#include <string_view>

#include "sandbox/kinds/columns.hpp"

namespace davit::sandbox {

/// When the tables of the tests are shown.
inline constexpr std::string_view kNow = "2026-01-01T02:00:00Z";

/// An object of a kind, created an hour ago and named "x" unless it says otherwise.
inline Json cells_of(std::string_view group, std::string_view plural, std::string_view text) {
  Json object = json_literal(text);
  Json& metadata = object["metadata"];
  if (!metadata.contains("name")) metadata.set("name", "x");
  metadata.set("creationTimestamp", "2026-01-01T01:00:00Z");
  const ColumnSet columns = columns_of(group, plural);
  Json::Items cells = columns.cells(object, *parse_time(kNow));
  EXPECT_EQ(cells.size(), columns.columns.size()) << plural;
  return cells;
}

struct CellCase {
  std::string_view group;
  std::string_view plural;
  std::string_view object;
  std::string_view cells;
};

}  // namespace davit::sandbox

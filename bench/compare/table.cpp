#include "bench/compare/table.hpp"

#include <algorithm>
#include <cstdio>

namespace davit::bench {

void Table::add(const std::string& what, const std::string& unit, double value) {
  for (Row& row : rows_) {
    if (row.what == what) return row.values.push_back(value);
  }
  rows_.push_back({what, unit, {value}});
}

void Table::print() const {
  std::printf("| what | unit | kube-controller-manager | davit | ratio |\n");
  std::printf("| --- | --- | ---: | ---: | ---: |\n");
  for (const Row& row : rows_) {
    if (row.values.size() != 2) continue;
    std::printf("| %s | %s | %.2f | %.2f | 1/%.1f |\n", row.what.c_str(), row.unit.c_str(),
                row.values[0], row.values[1], row.values[0] / std::max(row.values[1], 1e-9));
  }
  std::fflush(stdout);
}

}  // namespace davit::bench

#include "bench/compare/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace davit::bench {
namespace {

/// Three significant digits, without needless decimals.
std::string figure(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 100 || value == std::round(value) ? 0 : size >= 10 ? 1 : 2;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", size < 0.1 && value != 0 ? 3 : decimals, value);
  return text;
}

std::string cell(const std::optional<Summary>& summary) {
  if (!summary) return "–";
  const std::string median = figure(summary->median);
  const std::string least = figure(summary->least);
  const std::string most = figure(summary->most);
  return least == most ? median : median + " (" + least + "–" + most + ")";
}

}  // namespace

std::optional<Summary> summarize(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return Summary{.median = median, .least = values.front(), .most = values.back()};
}

std::optional<Summary> Row::of(std::string_view peer) const {
  const auto found = runs.find(peer);
  return found == runs.end() ? std::nullopt : summarize(found->second);
}

void Table::add(std::string_view peer, const std::string& what, const std::string& unit,
                double value) {
  auto row = std::find_if(rows_.begin(), rows_.end(),
                          [&what](const Row& each) { return each.what == what; });
  if (row == rows_.end()) row = rows_.insert(row, Row{.what = what, .unit = unit, .runs = {}});
  row->runs[std::string(peer)].push_back(value);
}

std::optional<double> Table::ratio(const Row& row) const {
  const std::optional<Summary> first = row.of(peers_.front());
  const std::optional<Summary> last = row.of(peers_.back());
  if (!first || !last || first->median <= 0 || last->median <= 0) return std::nullopt;
  return last->median / first->median;
}

std::string Table::markdown() const {
  std::string out = "| what | unit |";
  std::string line = "| --- | --- |";
  for (const std::string& peer : peers_) {
    out += " " + peer + " |";
    line += " ---: |";
  }
  out += " ratio |\n" + line + " ---: |\n";
  for (const Row& row : rows_) {
    out += "| " + row.what + " | " + row.unit + " |";
    for (const std::string& peer : peers_) out += " " + cell(row.of(peer)) + " |";
    const std::optional<double> share = ratio(row);
    out += " " + (share ? ratio_text(*share) : "–") + " |\n";
  }
  return out;
}

std::string ratio_text(double ratio) {
  char text[32];
  if (ratio < 1) {
    std::snprintf(text, sizeof text, ratio > 0.5 ? "1/%.2f" : "1/%.1f", 1 / ratio);
  } else {
    std::snprintf(text, sizeof text, "%.2f ×", ratio);
  }
  return text;
}

}  // namespace davit::bench

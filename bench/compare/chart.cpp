#include "bench/compare/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace davit::bench {
namespace {

// Pixels.
constexpr int kLabelWidth = 470;
constexpr int kBarsWidth = 430;
constexpr int kRowHeight = 20;
constexpr int kHead = 56;
constexpr int kFoot = 12;
constexpr int kTextWidth = 70;  // Right of the longest bar.

// The axis in powers of two, from 1/64 to 4; longer bars end there.
constexpr double kLeast = -6;
constexpr double kMost = 2;

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

double x_of(double ratio) {
  const double power = std::clamp(std::log2(ratio), kLeast, kMost);
  return kLabelWidth + (power - kLeast) / (kMost - kLeast) * kBarsWidth;
}

std::string text(double x, double y, const char* anchor, std::string_view content) {
  char head[96];
  std::snprintf(head, sizeof head, R"(<text x="%.0f" y="%.0f" text-anchor="%s">)", x, y, anchor);
  return head + escape(content) + "</text>\n";
}

std::string bar(double ratio, double y) {
  const double one = x_of(1);
  const double end = x_of(ratio);
  char out[160];
  std::snprintf(out, sizeof out,
                R"(<rect x="%.1f" y="%.0f" width="%.1f" height="%d" fill="%s"/>)"
                "\n",
                std::min(one, end), y, std::max(std::abs(one - end), 1.0), kRowHeight - 6,
                ratio < 1 ? "#2e7d32" : "#c62828");
  return out;
}

/// A vertical line and its label for each power of two.
std::string axis(int bottom) {
  std::string out;
  for (int power = static_cast<int>(kLeast); power <= static_cast<int>(kMost); ++power) {
    const double x = x_of(std::exp2(power));
    char line[160];
    std::snprintf(line, sizeof line,
                  R"(<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>)"
                  "\n",
                  x, kHead - 6, x, bottom, power == 0 ? "#333333" : "#dddddd");
    const int whole = 1 << std::abs(power);
    out += line + text(x, kHead - 12, "middle",
                       power < 0 ? "1/" + std::to_string(whole) : std::to_string(whole) + "×");
  }
  return out;
}

}  // namespace

std::string chart(const Table& table, const std::string& title) {
  std::string rows;
  int y = kHead;
  for (const Row& row : table.rows()) {
    const std::optional<double> ratio = table.ratio(row);
    if (!ratio) continue;
    const double base = y + kRowHeight - 9;
    rows += text(kLabelWidth - 8, base, "end", row.what) + bar(*ratio, y) +
            text(kLabelWidth + kBarsWidth + 8, base, "start", ratio_text(*ratio));
    y += kRowHeight;
  }
  const int width = kLabelWidth + kBarsWidth + kTextWidth;
  const std::string size = std::to_string(width) + " " + std::to_string(y + kFoot);
  return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" + size +
         R"(" font-family="sans-serif" font-size="12">)"
         "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         text(8, 20, "start", title) + axis(y) + rows + "</svg>\n";
}

}  // namespace davit::bench

#include "bench/compare/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/markup.hpp"

namespace davit::bench {
namespace {

// Pixels.
constexpr int kBarsWidth = 430;
constexpr int kRowHeight = 20;
constexpr int kHead = 56;
constexpr int kFoot = 12;
constexpr int kGap = 8;  // Between text and what is next to it.
constexpr int kFontSize = 12;

// The axis in powers of two, from 1/64 to 4; longer bars end there.
constexpr double kLeast = -6;
constexpr double kMost = 2;

/// Pixels in which `text` fits. The viewer chooses the font: these are bounds for the widest usual
/// ones, DejaVu Sans and Verdana.
int width_of(std::string_view text) {
  constexpr std::string_view kNarrow = "fijlt .,'";
  constexpr std::string_view kMiddle = "abcdeghknopqrsuvxyz0123456789:-()/";
  double ems = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // UTF-8.
    if (continues) continue;
    if (kNarrow.find(c) != kNarrow.npos) {
      ems += 0.4;
    } else {
      ems += kMiddle.find(c) != kMiddle.npos ? 0.65 : 1.1;
    }
  }
  return static_cast<int>(std::ceil(ems * kFontSize));
}

/// A row of the table that has a bar.
struct Bar {
  std::string_view label;
  double ratio;
};

/// The size that the longest texts need.
struct Layout {
  int bars_begin;  // From the left.
  int width;
};

Layout lay_out(const std::vector<Bar>& bars, std::string_view title) {
  int labels = 0;
  int ratios = 0;
  for (const Bar& each : bars) {
    labels = std::max(labels, width_of(each.label));
    ratios = std::max(ratios, width_of(ratio_text(each.ratio)));
  }
  const int begin = kGap + labels + kGap;
  return {begin,
          std::max(begin + kBarsWidth + kGap + ratios + kGap, kGap + width_of(title) + kGap)};
}

double x_of(double ratio, const Layout& layout) {
  const double power = std::clamp(std::log2(ratio), kLeast, kMost);
  return layout.bars_begin + (power - kLeast) / (kMost - kLeast) * kBarsWidth;
}

std::string text(double x, double y, const char* anchor, std::string_view content) {
  char head[96];
  std::snprintf(head, sizeof head, R"(<text x="%.0f" y="%.0f" text-anchor="%s">)", x, y, anchor);
  return head + markup_escaped(content) + "</text>\n";
}

std::string bar(double ratio, double y, const Layout& layout) {
  const double one = x_of(1, layout);
  const double end = x_of(ratio, layout);
  char out[160];
  std::snprintf(out, sizeof out,
                R"(<rect x="%.1f" y="%.0f" width="%.1f" height="%d" fill="%s"/>)"
                "\n",
                std::min(one, end), y, std::max(std::abs(one - end), 1.0), kRowHeight - 6,
                ratio < 1 ? "#2e7d32" : "#c62828");
  return out;
}

/// A vertical line and its label for each power of two.
std::string axis(int bottom, const Layout& layout) {
  std::string out;
  for (int power = static_cast<int>(kLeast); power <= static_cast<int>(kMost); ++power) {
    const double x = x_of(std::exp2(power), layout);
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
  std::vector<Bar> bars;
  for (const Row& row : table.rows()) {
    if (const std::optional<double> ratio = table.ratio(row)) bars.push_back({row.what, *ratio});
  }
  const Layout layout = lay_out(bars, title);
  std::string rows;
  int y = kHead;
  for (const Bar& each : bars) {
    const double base = y + kRowHeight - 9;
    rows += text(layout.bars_begin - kGap, base, "end", each.label) + bar(each.ratio, y, layout) +
            text(layout.bars_begin + kBarsWidth + kGap, base, "start", ratio_text(each.ratio));
    y += kRowHeight;
  }
  const std::string size = std::to_string(layout.width) + " " + std::to_string(y + kFoot);
  return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" + size +
         R"(" font-family="sans-serif" font-size=")" + std::to_string(kFontSize) +
         "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         text(kGap, 20, "start", title) + axis(y, layout) + rows + "</svg>\n";
}

}  // namespace davit::bench

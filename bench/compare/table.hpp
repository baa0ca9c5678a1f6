/// One row a figure, one column a peer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::bench {

/// Median and range of the runs of one figure.
struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// Nothing without values. The median of an even number is the mean of the two in the middle.
[[nodiscard]] std::optional<Summary> summarize(std::vector<double> values);

/// A figure of both peers.
struct Row {
  std::string what;
  std::string unit;
  std::map<std::string, std::vector<double>, std::less<>> runs;  ///< The key is a peer.

  [[nodiscard]] std::optional<Summary> of(std::string_view peer) const;
};

class Table {
 public:
  /// The last peer is compared with the first.
  explicit Table(std::vector<std::string> peers) : peers_(std::move(peers)) {}

  /// Adds a run of `peer` to the row of that name.
  void add(std::string_view peer, const std::string& what, const std::string& unit, double value);

  /// In Markdown: medians, the range in parentheses where it is not a point, and the ratio. A peer
  /// without a figure has "–".
  [[nodiscard]] std::string markdown() const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The last peer's median as a share of the first one's; nothing when one lacks or is zero.
  [[nodiscard]] std::optional<double> ratio(const Row& row) const;

 private:
  std::vector<std::string> peers_;
  std::vector<Row> rows_;
};

/// "1/3.5" below 1, else "1.17 ×".
[[nodiscard]] std::string ratio_text(double ratio);

}  // namespace davit::bench

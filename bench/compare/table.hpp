/// One row a figure, one column a peer.
#pragma once

#include <string>
#include <vector>

namespace davit::bench {

class Table {
 public:
  /// Adds the value of the next peer to the row of that name.
  void add(const std::string& what, const std::string& unit, double value);
  /// In Markdown, to standard output; the last column is davit's share of the first peer's.
  void print() const;

 private:
  struct Row {
    std::string what;
    std::string unit;
    std::vector<double> values;  // One a peer, in the order of the peers.
  };
  std::vector<Row> rows_;
};

}  // namespace davit::bench

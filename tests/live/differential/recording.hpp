/// The answers of kube-apiserver to random requests, as a file of tests/golden/differential.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <vector>

#include "tests/live/differential/operations.hpp"

namespace davit::live {

struct Exchange {
  Operation operation;
  std::string answer;  ///< As Side::answer gives it.
};

/// Writes the file: gzip of one JSON array a line. Equal exchanges give equal bytes. Ends the test
/// program when it cannot.
void write_exchanges(const std::string& file, const std::vector<Exchange>& exchanges);
/// The error names the file and says what to do: it is missing or damaged.
[[nodiscard]] Result<std::vector<Exchange>> read_exchanges(const std::string& file);

}  // namespace davit::live

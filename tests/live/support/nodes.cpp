#include "tests/live/support/nodes.hpp"

#include <algorithm>
#include <sstream>

namespace davit::live {

std::vector<std::string> node_lines(const ControlPlane& cluster) {
  std::istringstream lines(
      cluster
          .kubectl({"get", "nodes", "--output",
                    "jsonpath={range .items[*]}{.metadata.name} {.spec.taints[*].key} "
                    "{.status.conditions[?(@.type=='Ready')].status}{'\\n'}{end}"})
          .out);
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

bool is_well(const std::string& line) { return line.ends_with("  True"); }

int well_nodes(const ControlPlane& cluster) {
  return static_cast<int>(std::ranges::count_if(node_lines(cluster), is_well));
}

}  // namespace davit::live

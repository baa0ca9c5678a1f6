/// The debug page: the graph in the language of Graphviz. Pure;
/// kubernetes:pkg/controller/garbagecollector/dump.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/garbagecollector/graph.hpp"

namespace davit::garbage {

/// The values of `uid` in a query.
[[nodiscard]] std::vector<std::string> uids_of_query(std::string_view query);

/// The nodes that have owners or dependents; with `uids` those that are connected with one of them.
[[nodiscard]] std::string graph_page(const Graph& graph, const std::vector<std::string>& uids);

}  // namespace davit::garbage

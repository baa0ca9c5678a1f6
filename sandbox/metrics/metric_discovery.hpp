/// The groups of metrics in discovery. Rule: docs/spec/hpa.md, section 26.2.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/metrics/metric_board.hpp"

namespace davit::sandbox {

/// The current groups: every known metric is a separate resource. Immutable.
class MetricDiscovery {
 public:
  /// `board` is read during the call only; null: no groups.
  explicit MetricDiscovery(const MetricBoard* board);

  /// Appends to the list of GET /apis.
  void append_groups(Json& groups) const;
  /// Appends to the items of the aggregated document.
  void append_aggregated(Json& items) const;
  /// GET /apis/{group}; nothing when it is another group.
  [[nodiscard]] std::optional<Json> group(std::string_view name) const;
  /// GET /apis/{group}/{version}; nothing when it is another one.
  [[nodiscard]] std::optional<Json> resource_list(std::string_view group,
                                                  std::string_view version) const;

 private:
  struct Entry {
    std::string resource;
    std::string metric;  ///< In the position of a subresource, for custom metrics.
    std::string kind;
    bool namespaced = true;
  };
  struct Group {
    std::string_view name;
    std::vector<std::string_view> versions;  ///< The preferred one first.
    std::vector<std::string_view> verbs;
    std::vector<Entry> entries;  ///< Sorted by resource and metric.
  };
  [[nodiscard]] static Json group_json(const Group& group);
  [[nodiscard]] static Json aggregated_resources(const Group& group, std::string_view version);

  std::vector<Group> groups_;
};

}  // namespace davit::sandbox

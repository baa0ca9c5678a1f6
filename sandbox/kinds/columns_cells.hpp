/// The cells of Table output, one function for each built-in kind with columns of its own, and what
/// they share. Upstream: pkg/printers/internalversion/printers.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

using Cells = Json::Items (*)(const Json& object, WallTime now);

/// One row of the table of tables.
struct KindColumns {
  std::string_view group;
  std::string_view plural;
  /// "Name n|Ready s|IP s*": s string, n string of format "name", i integer, b boolean, d date; a
  /// star: only with -o wide.
  std::string_view columns;
  Cells cells;
};

/// Pods, what makes pods, and the revisions of that.
[[nodiscard]] std::span<const KindColumns> workload_columns();
/// Services, endpoints, ingresses, network policies.
[[nodiscard]] std::span<const KindColumns> network_columns();
/// Nodes, namespaces, leases, events, quotas.
[[nodiscard]] std::span<const KindColumns> cluster_columns();
/// ConfigMaps, Secrets, accounts, roles, certificates.
[[nodiscard]] std::span<const KindColumns> config_columns();
/// Volumes, claims, storage classes and CSI.
[[nodiscard]] std::span<const KindColumns> storage_columns();
/// Columns of the kinds that extend the server, and of device kinds.
[[nodiscard]] std::span<const KindColumns> extension_columns();

[[nodiscard]] Json::Items pod_cells(const Json& pod, WallTime now);
[[nodiscard]] Json::Items job_cells(const Json& job, WallTime now);
[[nodiscard]] Json::Items cron_job_cells(const Json& cron_job, WallTime now);
[[nodiscard]] Json::Items autoscaler_cells(const Json& autoscaler, WallTime now);
[[nodiscard]] Json::Items event_cells(const Json& event, WallTime now);
[[nodiscard]] Json::Items node_cells(const Json& node, WallTime now);

[[nodiscard]] const std::string& name_of(const Json& object);
/// Since metadata.creationTimestamp.
[[nodiscard]] std::string age_of(const Json& object, WallTime now);
/// The number at a path, 0 when there is none.
[[nodiscard]] std::int64_t number_at(const Json& object,
                                     std::initializer_list<std::string_view> path);
/// The text at a path, `otherwise` when it is missing or empty.
[[nodiscard]] std::string text_or(const Json& object, std::initializer_list<std::string_view> path,
                                  std::string_view otherwise = "<none>");
/// The value at a path, or null.
[[nodiscard]] const Json& value_at(const Json& object,
                                   std::initializer_list<std::string_view> path);
/// "True" or "False", as Go's printers write booleans.
[[nodiscard]] const char* bool_text(const Json& value);
[[nodiscard]] std::string join_texts(const std::vector<std::string>& texts,
                                     std::string_view separator);
/// "a=1,b=2" in the order of keys; "<none>" when empty.
[[nodiscard]] std::string labels_text(const Json& labels);
/// "app=x,tier in (a,b),!old" in the order of keys; "<none>" when it selects by nothing.
[[nodiscard]] std::string selector_text(const Json& selector);
/// The names of the pod spec's containers, joined with commas.
[[nodiscard]] std::string container_names(const Json& pod_spec);
[[nodiscard]] std::string container_images(const Json& pod_spec);

/// The first three texts, then how many more there are.
class ShortList {
 public:
  void add(std::string text);
  /// "a,b,c + 2 more..."; "" when there is none.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t kShown = 3;
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace davit::sandbox

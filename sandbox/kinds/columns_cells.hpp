/// The cells of Table output: one function for each built-in kind that has its own columns, and
/// shared helpers. Upstream: pkg/printers/internalversion/printers.go.
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

/// The cells of one kind, one for each of its columns.
struct KindCells {
  std::string_view group;
  std::string_view plural;
  Cells cells;
};

/// Pods, the controllers of pods, and their revisions.
[[nodiscard]] std::span<const KindCells> workload_cells();
/// Services, endpoints, ingresses, network policies.
[[nodiscard]] std::span<const KindCells> network_cells();
/// Nodes, namespaces, leases, events, quotas.
[[nodiscard]] std::span<const KindCells> cluster_cells();
/// ConfigMaps, Secrets, accounts, roles, certificates.
[[nodiscard]] std::span<const KindCells> config_cells();
/// Volumes, claims, storage classes and CSI.
[[nodiscard]] std::span<const KindCells> storage_cells();
/// Kinds that extend the server, and device kinds.
[[nodiscard]] std::span<const KindCells> extension_cells();

[[nodiscard]] Json::Items pod_cells(const Json& pod, WallTime now);
[[nodiscard]] Json::Items job_cells(const Json& job, WallTime now);
[[nodiscard]] Json::Items cron_job_cells(const Json& cron_job, WallTime now);
[[nodiscard]] Json::Items autoscaler_cells(const Json& autoscaler, WallTime now);
[[nodiscard]] Json::Items event_cells(const Json& event, WallTime now);
[[nodiscard]] Json::Items node_cells(const Json& node, WallTime now);

[[nodiscard]] const std::string& name_of(const Json& object);
/// The age since metadata.creationTimestamp.
[[nodiscard]] std::string age_of(const Json& object, WallTime now);
/// The number at a path; 0 if there is none.
[[nodiscard]] std::int64_t number_at(const Json& object,
                                     std::initializer_list<std::string_view> path);
/// The text at a path; `otherwise` if it is missing or empty.
[[nodiscard]] std::string text_or(const Json& object, std::initializer_list<std::string_view> path,
                                  std::string_view otherwise = "<none>");
/// The value at a path; null if there is none.
[[nodiscard]] const Json& value_at(const Json& object,
                                   std::initializer_list<std::string_view> path);
/// "True" or "False", as Go's printers write booleans.
[[nodiscard]] const char* bool_text(const Json& value);
[[nodiscard]] std::string join_texts(const std::vector<std::string>& texts,
                                     std::string_view separator);
/// "a=1,b=2" sorted by key; "<none>" if empty.
[[nodiscard]] std::string labels_text(const Json& labels);
/// "app=x,tier in (a,b),!old" sorted by key; "<none>" if it has no requirements.
[[nodiscard]] std::string selector_text(const Json& selector);
/// The names of the pod spec's containers, joined with commas.
[[nodiscard]] std::string container_names(const Json& pod_spec);
[[nodiscard]] std::string container_images(const Json& pod_spec);

/// The first three of a list of texts, and the number of the others.
class ShortList {
 public:
  void add(std::string text);
  /// "a,b,c + 2 more..."; "" if there are none.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t kShown = 3;
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace davit::sandbox

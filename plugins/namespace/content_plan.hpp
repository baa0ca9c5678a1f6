/// Interprets the objects that remain in a namespace. Pure;
/// kubernetes:pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/time.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/namespace/resource_plan.hpp"

namespace davit::namespaces {

/// The time to wait for objects that only a finalizer keeps.
inline constexpr std::chrono::seconds kFinalizerEstimate{15};

/// The time that the pods of a list may take to terminate: the longest grace period of those that
/// run, and none once that has passed since the namespace was deleted.
[[nodiscard]] std::chrono::seconds grace_estimate(Value pod_list,
                                                  std::optional<WallTime> deleted_at, WallTime now);

/// The objects of one resource that were still there after their deletion.
struct Remaining {
  std::size_t count = 0;
  std::map<std::string, std::size_t> finalizers;  ///< The number of objects with each.
};

/// Counts the items of a list.
[[nodiscard]] Remaining count_remaining(Value list);

/// The outcome for one resource.
struct ResourceOutcome {
  std::chrono::seconds estimate{0};
  Remaining remaining;
  Status error;
};

/// `estimate`: that of the pods' grace.
[[nodiscard]] ResourceOutcome judge_remaining(std::string_view ns, const Gvr& gvr,
                                              std::chrono::seconds estimate, Remaining remaining);

/// The content that remains in the whole namespace.
struct ContentTotals {
  std::map<std::string, std::size_t> resources;   ///< The key is Gvr::group_resource().
  std::map<std::string, std::size_t> finalizers;  ///< The number of objects with each.

  void add(const Gvr& gvr, const Remaining& remaining);
};

/// Joins errors into one, as apimachinery's aggregate does: duplicates dropped, in brackets if
/// there are several. Success if there are none.
[[nodiscard]] Status aggregate(const std::vector<Status>& errors);

/// When a namespace with content is synced again.
[[nodiscard]] std::chrono::seconds retry_delay(std::chrono::seconds estimate);

/// The finalizers but kToken, sorted, without duplicates.
[[nodiscard]] std::vector<std::string> other_finalizers(Value finalizers);

}  // namespace davit::namespaces

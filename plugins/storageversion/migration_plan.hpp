/// The rules of StorageVersionMigrations. Pure. Rules: docs/spec/cluster-controllers.md, part D.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <davit/kube/condition.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::storageversion {

inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kFailed = "Failed";

/// So long a resource may be missing in discovery before its migration fails.
inline constexpr std::chrono::minutes kDiscoveryTime{1};

/// StorageVersionMigration: the order to write every object of a resource again.
class Migration : public ObjectView {
 public:
  static constexpr Resource kResource{"storagemigration.k8s.io", "v1beta1",
                                      "storageversionmigrations", "StorageVersionMigration"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view group() const { return spec()["resource"]["group"].string(); }
  [[nodiscard]] std::string_view resource() const {
    return spec()["resource"]["resource"].string();
  }
  /// Objects that are newer need nothing; empty: not known yet.
  [[nodiscard]] std::string_view checkpoint() const {
    return status()[&Names::resource_version].string();
  }
  [[nodiscard]] bool has(std::string_view condition) const {
    const auto found = find_condition(status()[&Names::conditions], condition);
    return found && found->is_true();
  }
  [[nodiscard]] bool is_running() const { return has(kRunning); }
  /// Succeeded or Failed.
  [[nodiscard]] bool is_over() const { return has(kSucceeded) || has(kFailed); }
};

/// The next steps for the migrations of one resource, of which one at a time runs.
struct RunnerPlan {
  std::vector<Migration> to_finish;
  std::optional<Migration> to_start;
};
/// `migrations`: all of one resource.
[[nodiscard]] RunnerPlan plan_run(const std::vector<Migration>& migrations);

/// The order of two resource versions, as whole numbers of any length; nothing if one is not a
/// positive number.
[[nodiscard]] std::optional<std::strong_ordering> compare_versions(std::string_view a,
                                                                   std::string_view b);
/// Why a version is not one; empty: it is.
[[nodiscard]] std::string version_error(std::string_view version);

/// A change of a migration's status.
struct StatusChange {
  /// Added, unless the status has it as True or False already.
  std::string_view condition = {};
  std::string_view reason = {};
  std::string message = {};
  bool ends_run = false;        ///< Running becomes False.
  std::string checkpoint = {};  ///< Empty: stays.
};
/// The merge patch for the status; it holds only for the version of the object that was read.
[[nodiscard]] std::string status_patch(const Migration& migration, const StatusChange& change,
                                       WallTime now);

}  // namespace davit::storageversion

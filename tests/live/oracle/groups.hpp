/// The controllers at work while scenarios play, for kube-controller-manager and for davit.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/oracle/scenario.hpp"

namespace davit::oracle {

/// EndpointSlices, CronJobs and PodDisruptionBudgets in version v1, which is the one that davit
/// writes, came with this release.
constexpr int kMinorOfSlices = 21;

/// Scenarios that play with the same controllers.
struct Group {
  IsolationGroup isolation = IsolationGroup::kShared;
  std::vector<std::string> flags;  ///< Those that the scenarios ask for, as upstream has them.
};

/// The files of the controllers of ServiceAccounts.
struct AccountFiles {
  std::string key;                                    ///< A private key.
  std::string root_ca = DAVIT_ORACLE "/root_ca.crt";  ///< In a Secret of a scenario, too.
};

/// The gates of StorageVersions and their migrations, in both of the original's programs.
inline constexpr char kStorageGates[] = "StorageVersionAPI=true,StorageVersionMigrator=true";
/// The gate of DeviceTaintRules, in both of the original's programs.
inline constexpr char kRulesGate[] = "DRADeviceTaintRules=true";

/// The deleter of objects whose owner or namespace is gone. The sandbox does so itself.
enum class Deletion { kByControllers, kByServer };

/// Longer than davit and kube-controller-manager leave a silent node its volumes, in scenarios of
/// IsolationGroup::kLost.
constexpr std::chrono::seconds kSilenceOfDavit{10};
constexpr std::chrono::seconds kSilenceOfOriginal{390};

/// Flags of `davit run`, with a manifest in `scratch`.
[[nodiscard]] std::vector<std::string> davit_flags(const Group& group, Deletion deletion,
                                                   const std::filesystem::path& scratch,
                                                   const AccountFiles& accounts);
/// kube-controller-manager's controllers for scenarios of this group.
[[nodiscard]] std::string original_controllers(IsolationGroup isolation, Deletion deletion);
/// Its other flags, for the same settings as in davit_flags().
[[nodiscard]] std::vector<std::string> original_flags(const Group& group,
                                                      const AccountFiles& accounts);

}  // namespace davit::oracle

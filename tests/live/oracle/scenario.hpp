/// Scenarios as data: what happens to a cluster, step by step. docs/TESTING.md describes the
/// language.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/api_request.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::oracle {

/// A kind that scenarios may name.
struct KindInfo {
  std::string_view name;  ///< Singular, lower case: "deployment".
  std::string_view kind;  ///< "Deployment"
  std::string_view group;
  std::string_view version;
  std::string_view resource;  ///< Plural: "deployments".
  bool namespaced = true;
};
/// Finds a kind by singular, plural or kind; null if unknown.
[[nodiscard]] const KindInfo* find_kind(std::string_view name);

/// Objects that a step or an expectation is about.
struct Target {
  const KindInfo* kind = nullptr;
  std::string name;                 ///< Empty: all that `labels` and `where` choose.
  std::vector<std::string> labels;  ///< "app=web"
  std::vector<std::string> where;   ///< "path op value", as in tests/support/api_checks.
  bool is_everywhere = false;       ///< "nodes everywhere": those of other scenarios, too.
};

/// A condition on objects: their number, and what `holds` for each.
struct Condition {
  Target target;
  std::vector<std::string> holds;
  std::optional<std::size_t> count;  ///< Nothing: at least one.
  std::string place;                 ///< "rollout.yaml:12"
};

struct Step {
  enum class Action {
    kCreate,
    kPatch,
    kDelete,
    kEvict,
    kRollBack,
    kWait,
    kRest,
    kFault,
    kControllers,
    kMetrics,
    kPass
  };

  Action action = Action::kRest;
  std::string place;                 ///< "rollout.yaml:12"
  Target target;                     ///< For kPatch, kDelete, kEvict, kRollBack.
  std::optional<std::size_t> first;  ///< Only so many of the chosen, by name.
  /// The object of kCreate, the patch, the fault rule (null: take all faults back), the rule of the
  /// metrics APIs.
  Json body;
  host::PatchType patch_type = host::PatchType::kMerge;
  std::string subresource;
  host::DeleteOptions deletion;
  std::string revision;  ///< For kRollBack.
  Condition until;       ///< For kWait.
  bool starts = false;   ///< For kControllers, which stops them otherwise.
  bool refused = false;  ///< For kEvict: a budget forbids it.
};

/// The part of the history that is deterministic and therefore compared.
enum class Compare {
  kEnds,     ///< The objects at the end.
  kHistory,  ///< Those at every rest, too; and the reduced history of each object, and events.
  kSteps,    ///< The sizes and the number of a rollout's steps, too: pods wait for the scenario.
};

/// The flag that scenarios of IsolationGroup::kLost may have.
inline constexpr std::string_view kDisableForceDetach = "--disable-force-detach-on-timeout";

/// The isolation group: which other scenarios may run at the same time.
enum class IsolationGroup {
  kShared,  ///< Shared by all scenarios of this group.
  kNodes,   ///< Shared by all scenarios of this group; the node lifecycle controller is on.
  kAlone,   ///< None; the node lifecycle controller is on.
  kPodGc,   ///< Shared by all scenarios of this group; so is the pod garbage collector.
  /// Shared by all scenarios of this group, with the controllers of ServiceAccounts. The
  /// controllers begin when every scenario has come to its step `controllers: running`.
  kAccounts,
  /// Shared by all scenarios of this group, with the horizontal pod autoscaler and metrics APIs.
  /// Nothing works on its targets: the scenario makes their pods and statuses.
  kMetrics,
  /// Shared by all scenarios of this group, with the controllers of claims, volumes, attachments
  /// and Service ranges, and no workload controllers. Nothing runs the pods on the scenarios' own
  /// nodes.
  kVolumes,
  /// None, on a server without nodes, with the node IPAM controller and the scenario's flags.
  kNodeIpam,
  /// As kVolumes, on that server. davit takes volumes from lost nodes after five seconds, and
  /// kube-controller-manager after its six minutes. A scenario with flags plays by itself.
  kLost,
  /// Shared by all scenarios of this group, on that server, with the controllers of claims and
  /// taints of devices. Nothing runs the pods.
  kDevices,
};

struct Scenario {
  std::string name;  ///< Also the namespace.
  std::string place;
  std::string digest;  ///< The sum of all that the file says about it.
  IsolationGroup isolation = IsolationGroup::kShared;
  Compare compare = Compare::kHistory;
  std::vector<std::string> flags;  ///< Upstream's, for both programs: for kNodeIpam and kLost.
  /// Whether the oldest server plays it, too: what has not changed since, one of each sort.
  bool plays_on_oldest = false;
  /// Whether the sandbox does not play it, which has Services of one family only.
  bool needs_real_server = false;
  /// Whether a step injects a fault, which only the sandbox can.
  bool has_faults = false;
  std::vector<Step> steps;
  std::vector<Condition> expectations;  ///< Conditions that must hold at the end, on every side.
};

/// The scenarios of one file. kInvalid with "file:line: what is wrong".
[[nodiscard]] Result<std::vector<Scenario>> read_scenarios(std::string_view text,
                                                           const std::string& file);
/// The scenarios in all files of a folder, in the order of the files. Ends the program at the first
/// mistake.
[[nodiscard]] std::vector<Scenario> load_scenarios(const std::string& folder);

/// A scenario without its steps, for the tests that only look its verdict up.
struct ListedScenario {
  std::string name;
  std::string place;
  bool plays_on_oldest = false;
  bool needs_real_server = false;
};
/// The same scenarios by the lines that begin with their names. Each test is a process that needs
/// the list, and reading what the scenarios do takes most of a second under ASan.
[[nodiscard]] std::vector<ListedScenario> list_scenarios(const std::string& folder);

}  // namespace davit::oracle

/// Scenarios for exploring controllers, as data. docs/EXPLORER.md describes
/// the language, which is that of the oracle (docs/TESTING.md) as far as a cluster without nodes
/// can play it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/api_request.hpp"
#include "lib/kube/json.hpp"

namespace davit::explore {

/// Objects that a step is about.
struct Target {
  std::string resource;             ///< "pods", "pod" or "Pod"; "replicasets.apps" is precise.
  std::string ns;                   ///< Empty: the scenario's.
  std::string name;                 ///< Empty: all that have `labels`.
  std::vector<std::string> labels;  ///< "app=web"
};

struct Step {
  enum class Action : std::uint8_t {
    kCreate,  ///< As a client: without status.
    kAdd,     ///< Stored as it is, status included; replaces what is there.
    kPatch,
    kDelete,
    kErase,  ///< Removed at once, regardless of its finalizers.
    /// Objects whose owners are gone are deleted, as by the garbage collector.
    kCollect,
    kWait,   ///< Until there are `count` objects.
    kRest,   ///< Until nothing is left to do, and half a minute longer.
    kPass,   ///< Lets `time` pass.
    kSyncs,  ///< Lets `count` syncs run.
  };

  Action action = Action::kRest;
  std::string place;  ///< "rollout.yaml:12"
  Target target;
  Json body;  ///< The object or the patch.
  host::PatchType patch_type = host::PatchType::kMerge;
  std::string subresource;
  host::DeleteOptions deletion;
  std::size_t count = 0;
  std::optional<std::size_t> first;  ///< Only so many of the chosen, the oldest ones.
  std::chrono::seconds time{0};

  /// "patch pods app=web": for the story of a run.
  [[nodiscard]] std::string text() const;
};

/// An oracle that a scenario leaves out, because what it sees is as Kubernetes has it.
struct Allowance {
  std::string oracle;  ///< "surplus", "deletion", "end", "resync" or "requests"
  std::string of;      ///< A resource; empty: all.
  std::string reason;
};

struct Scenario {
  std::string name;  ///< Also its namespace.
  std::string place;
  std::string digest;  ///< The sum of all that the file says.
  /// The plugins whose controllers run, by name; empty: those that the caller gives.
  std::vector<std::string> plugins;
  /// The controllers of these that run; empty: all.
  std::vector<std::string> controllers;
  /// The configuration of controllers, as JSON text.
  std::map<std::string, std::string> configs;
  /// Taken before the controllers start: what is there already.
  std::vector<Step> cluster;
  std::vector<Step> steps;
  std::vector<Allowance> allowed;
  /// Objects that no controller may write.
  std::vector<Target> kept;
  /// Why the caches show the changes of the steps before the next sync; empty: no reason, and they
  /// may show them later.
  std::string prompt;
  /// Choices that are not tried.
  std::vector<std::string> left_out;
  /// Members of objects that may differ at the end, because Kubernetes has it so.
  std::vector<std::string> differing;

  [[nodiscard]] bool allows(std::string_view oracle, std::string_view resource) const;
};

/// The scenarios of a file. kInvalid with "file:line: what is wrong".
[[nodiscard]] Result<std::vector<Scenario>> read_scenarios(std::string_view text,
                                                           const std::string& file);

}  // namespace davit::explore

/// The machines of a cluster without a cloud, as its operator lists them or the sandbox simulates
/// them. Pure.
#pragma once

#include <cstdint>
#include <davit/cloud.hpp>
#include <davit/kube/node.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::pools {

/// The facts of one machine; an empty one is that of the defaults.
struct Machine {
  std::string zone;
  std::string region;
  std::string instance_type;
  std::vector<CloudAddress> addresses;
  std::map<std::string, std::string> labels;
  bool is_shut_down = false;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The treatment of Nodes that are not listed.
enum class Unlisted : std::uint8_t {
  kAccepted,  ///< They get the defaults.
  kWait,      ///< They keep the taint of uninitialized Nodes.
  kDeleted,   ///< They have no machine.
};

/// Rule: docs/spec/cloud.md, F7.
struct Inventory {
  bool is_offered = false;
  bool is_simulated = false;  ///< The machines are Nodes of `davit sandbox`, and nothing is listed.
  std::string prefix = "pools://";  ///< A provider id is this and the name of the Node.
  Machine defaults;
  std::map<std::string, Machine, std::less<>> machines;  ///< The keys are names of Nodes.
  Unlisted unlisted = Unlisted::kAccepted;

  [[nodiscard]] CloudReply exists(const Node& node) const;
  [[nodiscard]] CloudReply shutdown(const Node& node) const;
  [[nodiscard]] CloudReply metadata(const Node& node) const;

 private:
  /// Whether another manager made the Node.
  [[nodiscard]] bool is_foreign(const Node& node) const;
  /// The machine of the Node; without one it stays, is waited for, or goes, as `unlisted` has it.
  [[nodiscard]] std::optional<Machine> find(const Node& node) const;
  /// Whether a simulated machine no longer exists.
  [[nodiscard]] bool is_deleted(const Node& node) const;
};

/// The member `instances`. kInvalid names the place.
[[nodiscard]] Result<Inventory> read_inventory(Value instances);

/// Whether two versions of a Node differ in what makes its simulated machine.
[[nodiscard]] bool has_other_machine(const Node& before, const Node& now);

/// The Nodes for which the two differ; one with an empty name stands for all.
[[nodiscard]] std::vector<std::string> changed_nodes(const Inventory& before, const Inventory& now);

}  // namespace davit::pools

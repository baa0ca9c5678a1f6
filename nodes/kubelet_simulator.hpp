/// The nodes' own part: registration, leases, status.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"
#include "nodes/address_pool.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/node_objects.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

/// Whether a new node's taint `not-ready` is taken away when the node is ready. A node lifecycle
/// controller does that itself.
enum class Untaint { kWhenReady, kNever };

/// The origin of the ranges of pod addresses.
enum class PodRanges {
  kOwn,          ///< Each node registers with one.
  kFromCluster,  ///< From a node IPAM controller. A node without one is not ready and starts no pod
                 ///< but those in its own network.
};

struct KubeletSimulatorOptions {
  std::vector<NodePlan> plans;
  NodeSize size;
  Untaint untaint = Untaint::kWhenReady;
  PodRanges pod_ranges = PodRanges::kOwn;
  CloudSwitch cloud = CloudSwitch::kOff;
  Duration lease_period = std::chrono::seconds(10);
  Duration status_period = std::chrono::minutes(5);
};

/// The facts about a node that its pods need.
struct SimulatedNode {
  NodePower power = NodePower::kRunning;
  std::string internal_ip;
  bool has_network = true;  ///< Otherwise pods wait.
  std::optional<AddressPool> addresses;
  /// The volumes that the node is to report as in use; nothing: it reports none.
  std::optional<std::set<std::string>> volumes_in_use;
  std::set<std::string> reported_volumes;  ///< Those that the Node lists as in use,
  std::set<std::string> attached_volumes;  ///< and as attached.
};

/// Simulates the kubelets' care for their Nodes: of those that it creates by plan, and of all that
/// carry the annotation. Belongs to one thread.
class KubeletSimulator {
 public:
  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Random& random;
    Logger log;
  };
  /// A node came, went, or was switched.
  using OnPower = std::function<void(const std::string& node)>;
  /// The lists of volumes of a Node have changed.
  using OnVolumes = std::function<void(const std::string& node)>;

  KubeletSimulator(Seams seams, KubeletSimulatorOptions options, OnPower on_power,
                   OnVolumes on_volumes);

  /// From the reflector of nodes.
  void changed(Json node);
  void removed(const std::string& key);

  /// Does the due work; returns when it must be called next.
  Time step();

  /// Null when no such node is simulated. Lives until the node is changed.
  [[nodiscard]] SimulatedNode* find(const std::string& name);
  /// Has the node report these volumes as in use.
  void report_volumes(const std::string& node, std::set<std::string> in_use);
  [[nodiscard]] std::size_t count() const { return nodes_.size(); }

 private:
  enum class Doing { kNothing, kStatus, kUntaint };

  struct Record {
    Json node;
    std::uint64_t version = 0;
    SimulatedNode simulated;
    Doing doing = Doing::kNothing;
    bool renewing = false;
    Time status_due{};
    Time lease_due{};
    std::optional<Json> lease;  // Nothing: not read yet.
  };

  void register_node(std::size_t plan);
  void adopt(const std::string& name, Json node, NodePower power);
  void tend(const std::string& name, Record& record);
  void report(const std::string& name, Record& record, const Json& patch, Doing doing);
  void reported(const std::string& name, const ApiResponse& response);
  void renew(const std::string& name, Record& record);
  void lease_renewed(const std::string& name, const ApiResponse& response);
  void plan_next(const std::string& name, const Record& record);
  /// Gives the node its pod addresses; those of its podCIDR, if it has one.
  void connect(Record& record) const;
  /// Takes over an address that a cloud has given the Node.
  void follow_address(Record& record);
  /// Reads the Node's lists of volumes; says whether they have changed.
  static bool read_volumes(Record& record);
  [[nodiscard]] NodeReport report_of(const Record& record) const;
  [[nodiscard]] std::string free_address();

  Seams seams_;
  const KubeletSimulatorOptions options_;
  const OnPower on_power_;
  const OnVolumes on_volumes_;
  std::unordered_map<std::string, Record> nodes_;
  std::set<std::string> fresh_;  // Created by us and not seen ready yet.
  std::set<std::string> addresses_;
  Timetable due_;
  std::vector<std::pair<Time, std::size_t>> to_register_;  // When which plan.
};

/// Plans for `count` nodes "PREFIX-1", "PREFIX-2", …, spread over `zones` zones "zone-a", "zone-b",
/// … in turn; no zones: no zone labels.
[[nodiscard]] std::vector<NodePlan> plan_nodes(const std::string& prefix, int count, int zones);
/// The number of nodes that have their own range of pod addresses.
inline constexpr int kNodesMax = 3072;
/// Contains the ranges of all plans.
inline constexpr char kPodRange[] = "10.240.0.0/12";

}  // namespace davit::sandbox

/// A small kube-scheduler: binds pods to nodes through the API.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/cel/device_selector.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/device_holds.hpp"
#include "nodes/device_scheduling.hpp"
#include "nodes/device_view.hpp"
#include "nodes/schedule.hpp"
#include "nodes/stamp.hpp"
#include "nodes/storage_view.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

/// Filters by cordon, taints, selector and required node affinity, resources and host ports, and
/// takes the node with the fewest pods. Pods that fit nowhere are tried again when the cluster
/// changes, each with a pause that grows. Belongs to one thread.
///
///   Pending ──fits──▶ (Volumes) ──▶ (Devices) ──▶ Binding ──201──▶ Bound
///     │  ▲               │              │            │ refused
///     ▼  │ change        │              │            │
///    Unfit ◀─────────────┴──────────────┴────────────┘
///
/// Volumes: claims that waited for the node get their volumes. Devices: claims get their devices
/// and are reserved for the pod. Each only if the scheduler heeds such claims.
class Scheduler {
 public:
  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Random& random;
    Logger log;
  };

  explicit Scheduler(Seams seams);

  /// From the reflectors. Nothing is bound before begin().
  void node_changed(const Json& node);
  void node_removed(const std::string& key);
  void pod_changed(const Json& pod);
  void pod_removed(const std::string& key);
  /// Has the scheduler heed the claims of pods. `storage` must outlive it.
  void heed(const StorageView& storage) { storage_ = &storage; }
  /// An object of the storage has changed.
  void storage_changed(StorageKind kind, const std::string& name);
  /// Takes the object of a response in.
  using Take = std::function<bool(Json object)>;
  /// Has the scheduler heed the device claims of pods. `devices` must outlive it.
  void heed(const DeviceView& devices, Take take);
  /// An object of the devices has changed; "": all have been listed.
  void devices_changed(DeviceKind kind, const std::string& name, DeviceChange change);
  /// Begins once all existing nodes and pods have been listed, so that the free capacity is known.
  void begin();

  /// Does the due work; returns when it must be called next.
  Time step();

 private:
  enum class State { kPending, kUnschedulable, kVolumes, kDevices, kBinding, kBound };

  struct Pod {
    std::string uid;
    State state = State::kPending;
    std::string node;  // kVolumes, kDevices, kBinding, kBound.
    PodShare share;
    // While not bound: what the choice and the reports need.
    std::unique_ptr<Json> object;
    int failures = 0;
    Time tried{};
    std::string message;  // The last refusal that was reported.
    // kVolumes: the targets of what was written, and the claims seen with the node.
    std::set<std::string> volumes_asked;
    std::set<std::string> claims_handed;
    // From kVolumes to kBound: what its claims get on the node.
    DeviceFit::Allocations allocations;
    bool writes_claim = false;               // kDevices: a write's result is not known yet.
    bool waits_for_devices = false;          // kDevices: this has been reported.
    bool has_missing_claims = false;         // kUnschedulable: nothing has been tried yet.
    std::vector<std::string> device_claims;  // While not bound: "namespace/name".

    /// Whether it has a node, but has not been bound to it yet.
    [[nodiscard]] bool is_chosen() const {
      return state == State::kVolumes || state == State::kDevices || state == State::kBinding;
    }
  };

  void forget(const std::string& key);
  void release_capacity(const Pod& pod);
  void reserve_capacity(const Pod& pod);
  void consider(const std::string& key, Pod& pod);
  [[nodiscard]] Choice choose(Pod& pod);
  [[nodiscard]] Choice choose_with_devices(Pod& pod, const NodeFilter& filter);
  void refuse(const std::string& key, Pod& pod, const Choice& choice);
  /// Has the pod's claims get their volumes on its node; binds it once all have them.
  void bind_volumes(const std::string& key, Pod& pod);
  /// Has the pod's device claims allocated and reserved; binds it once all are.
  void bind_devices(const std::string& key, Pod& pod);
  /// A write of a claim for a pod, which may be gone.
  struct ClaimWrite {
    std::string key;    // The pod.
    std::string uid;    // The same.
    std::string claim;  // "namespace/name"
  };
  void claim_written(const ClaimWrite& write, const ApiResponse& response);
  /// Reads the claim of a write whose result is not known.
  void read_claim(const ClaimWrite& write, const ApiResponse& response);
  /// The view shows the claim as the write has left it.
  void claim_known(const ClaimWrite& write, const ApiResponse& response);
  void release_devices(Pod& pod);
  /// Devices became free for those that wait for some.
  void devices_freed();
  /// Gives back what bind_devices() has reserved.
  void unreserve_devices(const Pod& pod);
  void bind(const std::string& key, Pod& pod);
  /// Gives up the pod's node, and tries again later.
  void give_up_node(const std::string& key, Pod& pod);
  void refused(const std::string& key, const std::string& uid, const ApiResponse& response);
  void report_unschedulable(const std::string& key, Pod& pod, const Choice& choice);
  void try_again(const std::string& key, Pod& pod);
  /// Something happened that may help the pods that fit nowhere.
  void cluster_changed();

  struct Report {
    const char* type;
    const char* reason;
    const char* action;
    std::string note;
  };
  void send_event(const Json& regarding, const Report& report);

  Seams seams_;
  const StorageView* storage_ = nullptr;
  const DeviceView* devices_ = nullptr;
  Take take_;
  cel::DeviceSelectors selectors_;
  DeviceHolds holds_;  // For the pods in kVolumes, kDevices or kBinding.
  /// Writes whose results must be asked for, with the response; keys are UIDs of pods.
  std::map<std::string, std::pair<ClaimWrite, ApiResponse>> unknown_;
  Timetable reads_;  // When to read the claim of a write; the same keys.
  bool begun_ = false;
  std::map<std::string, NodeCapacity> nodes_;
  std::vector<const NodeCapacity*> order_;  // The same, for schedule().
  std::unordered_map<std::string, Pod> pods_;
  std::set<std::string> unschedulable_;  // Their keys.
  std::set<std::string> with_volumes_;   // The keys of those in kVolumes.
  std::set<std::string> with_devices_;   // The keys of those in kDevices.
  Timetable due_;
};

}  // namespace davit::sandbox

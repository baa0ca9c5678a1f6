/// The kubelets' volume managers: what is mounted on the simulated nodes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/kubelet_simulator.hpp"
#include "nodes/storage_view.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

/// Mounts the volumes of pods as a kubelet does: reports them in the Node's volumesInUse, waits
/// until the Node lists them as attached and their attachments agree, and only then lets the pod
/// start. After the pod's end it unmounts them and removes them from the Node. Volumes of deleted
/// pods are also unmounted, but never on a stopped node. Belongs to one thread.
///
///   Wanted ──attached──▶ Mounted ──pod ended──▶ Unmounting ──▶ (forgotten)
class VolumeMounter {
 public:
  /// A pod has something to do, by its key.
  using WakePod = std::function<void(const std::string& pod)>;
  /// Whether the pod's containers ran already when this process began.
  enum class Past { kNew, kRan };

  struct Seams {
    ApiCalls& api;
    Clock& clock;
  };

  /// All must outlive it.
  VolumeMounter(Seams seams, const StorageView& view, KubeletSimulator& nodes, WakePod wake);

  /// From when on the volumes of a pod that its node is to run are mounted, which may be in the
  /// future; nothing: not before something changes.
  [[nodiscard]] std::optional<Time> mount(const Json& pod, Past past);
  /// The containers ended before this process began. What the Node reports in use is mounted until
  /// unmount().
  void adopt(const Json& pod);
  /// The containers have ended. Says whether nothing of the pod is mounted any more.
  [[nodiscard]] bool unmount(const Json& pod);
  /// The pod is gone from the API.
  void forget(const std::string& node, const std::string& uid);

  /// An object of the view has changed.
  void changed(StorageKind kind, const Json& object);
  /// A node came or went, was switched, or its lists have changed.
  void node_changed(const std::string& node);
  /// Set when all pods have been processed once; before that, nothing is removed from a Node.
  void begin() { begun_ = true; }
  /// Does the due work; returns when it must be called next.
  Time step();

 private:
  enum class Stage { kWanted, kMounted, kUnmounting };

  struct Volume {
    std::string name;    // In the pod.
    std::string listed;  // As Nodes list it; empty: nothing attaches it.
    std::string object;  // The PersistentVolume; empty: the claim has none yet.
  };
  struct Mounts {
    std::string pod;  // Its key.
    Stage stage = Stage::kWanted;
    Time since{};                   // When it came to the stage.
    std::optional<Duration> takes;  // The time to unmount; nothing: it never succeeds.
    bool gone = false;              // No pod waits for the unmounting.
    Time late{};                    // When to report that kWanted takes long.
    std::vector<std::string> claims;
    std::vector<Volume> volumes;
    std::string failure;  // The last one that was reported.
  };
  using OfNode = std::map<std::string, Mounts>;  // Keys are the pods' UIDs.

  /// Finds the pod's volumes.
  void resolve(const Json& pod, Mounts& mounts, Past past) const;
  [[nodiscard]] bool is_attached_to(const std::string& node, const Volume& volume) const;
  /// The pod cannot start yet; reports it if that takes long, or was requested.
  void wait(const Json& pod, Mounts& mounts);
  void report(const Json& pod, const std::string& message);
  void stop_waiting(const Mounts& mounts);
  /// Says whether nothing is mounted any more.
  [[nodiscard]] bool finish(const std::string& node, const std::string& uid);
  void publish();

  Seams seams_;
  const StorageView& view_;
  KubeletSimulator& nodes_;
  const WakePod wake_;
  bool begun_ = false;
  std::unordered_map<std::string, OfNode> mounts_;                  // Keys are nodes.
  std::unordered_map<std::string, std::set<std::string>> waiting_;  // Pods by claim.
  std::set<std::string> dirty_;                                     // Nodes.
  Timetable due_;                                                   // "node/UID"
};

}  // namespace davit::sandbox

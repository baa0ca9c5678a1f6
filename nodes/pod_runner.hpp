/// The nodes' part in the pods' lives.
#pragma once

#include <string>
#include <unordered_map>

#include "lib/base/log.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/device_preparer.hpp"
#include "nodes/kubelet_simulator.hpp"
#include "nodes/pod_events.hpp"
#include "nodes/pod_life.hpp"
#include "nodes/timetable.hpp"
#include "nodes/volume_mounter.hpp"

namespace davit::sandbox {

/// Runs the pods of all simulated nodes: takes each through its life, reports what happens and
/// removes it in the end. Sends one write per pod at a time. Belongs to one thread.
class PodRunner {
 public:
  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Logger log;
  };

  /// `nodes` must outlive it.
  PodRunner(Seams seams, PodDefaults defaults, PodEventSwitch events, KubeletSimulator& nodes);
  /// Has `mounter`, which must outlive it, mount the volumes of pods before they start. Without
  /// one, volumes are there at once.
  void mount_with(VolumeMounter& mounter) { mounter_ = &mounter; }
  /// The same for the devices of pods.
  void prepare_with(DevicePreparer& preparer) { preparer_ = &preparer; }

  /// From the reflector of pods. Nothing is done for them before begin().
  void changed(Json pod);
  void removed(const std::string& key);
  /// Begins once all existing pods have been listed, so that the taken addresses are known.
  void begin();
  /// A node came, went, or was switched.
  void node_switched(const std::string& node);
  /// The pod's volumes or devices have changed.
  void wake(const std::string& key);

  /// Does the due work; returns when it must be called next.
  Time step();

 private:
  enum class Writing { kNothing, kStatus, kRemoval };

  struct Record {
    std::string uid;
    std::string node;
    std::uint64_t version = 0;
    std::string text;  // The object; as text it takes a quarter of the room.
    PodLife life;
    std::string address;  // In the node's range; empty: none yet, or the node's own.
    Writing writing = Writing::kNothing;
    int failures = 0;           // Failed writes in a row.
    bool mounts = false;        // Something of it may be mounted.
    bool ended_before = false;  // Not processed since this process began.
  };

  void take(const std::string& key, Record& record, Json pod);
  void consider(const std::string& key, Record& record, const Json& pod);
  /// Sends the next change of `pod` to the API; false if there is none.
  bool write(const std::string& key, Record& record, const Json& pod, const Moment& moment);
  [[nodiscard]] bool find_address(Record& record, const Json& pod, SimulatedNode& node);
  void send(const std::string& key, Record& record, Writing what, ApiCall call);
  void written(const std::string& key, const std::string& uid, const ApiResponse& response);
  void release(const Record& record);
  /// Adds to the facts when the volumes of the pod are mounted and its devices prepared.
  void add_volumes(Record& record, const Json& pod, PodFacts& facts);
  void add_devices(const Record& record, const Json& pod, PodFacts& facts);

  Seams seams_;
  const PodDefaults defaults_;
  PodEvents events_;
  KubeletSimulator& nodes_;
  VolumeMounter* mounter_ = nullptr;
  DevicePreparer* preparer_ = nullptr;
  bool begun_ = false;
  std::unordered_map<std::string, Record> pods_;
  Timetable due_;
};

}  // namespace davit::sandbox

/// Everything about volumes in a simulation: the view, the driver, the nodes' mounts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/kubelet_simulator.hpp"
#include "nodes/reflector.hpp"
#include "nodes/storage_driver.hpp"
#include "nodes/storage_view.hpp"
#include "nodes/volume_mounter.hpp"

namespace davit::sandbox {

/// Follows the storage objects and shows their changes to those who need them. Belongs to one
/// thread.
class SimulatedStorage {
 public:
  /// An object has come, has changed or is gone.
  using OnChange = std::function<void(StorageKind kind, const std::string& name)>;

  /// `nodes` must outlive it.
  SimulatedStorage(const Reflector::Seams& seams, KubeletSimulator& nodes,
                   VolumeMounter::WakePod wake, OnChange on_change);

  /// From the reflector of nodes.
  void node_changed(Json node);
  void node_removed(const std::string& key);

  [[nodiscard]] VolumeMounter& mounter() { return mounter_; }
  [[nodiscard]] const StorageView& view() const { return view_; }

  /// Processes what the server reports; returns when it must be called next.
  Time follow();
  /// Whether all objects were listed that every server has.
  [[nodiscard]] bool synced() const;
  /// Whether all pods have been processed once.
  void begin();
  /// Does the due work; returns when it must be called next.
  Time step();

 private:
  void follow(StorageKind kind, const Reflector::Seams& seams);
  void notify(StorageKind kind, const std::string& name, const Json& object);
  /// The response to a write of the driver.
  bool take(Json object);

  StorageView view_;
  const OnChange on_change_;
  StorageDriver driver_;
  VolumeMounter mounter_;
  struct Followed {
    StorageKind kind;
    std::unique_ptr<Reflector> reflector;
  };
  std::vector<Followed> followed_;
};

}  // namespace davit::sandbox

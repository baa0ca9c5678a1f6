/// Everything about devices in a simulation: the view, the driver, the nodes' preparation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nodes/device_driver.hpp"
#include "nodes/device_preparer.hpp"
#include "nodes/device_view.hpp"
#include "nodes/reflector.hpp"

namespace davit::sandbox {

/// Follows the objects of dynamic resource allocation and shows their changes to those who need
/// them. On a server that does not have them nothing happens. Belongs to one thread.
class SimulatedDevices {
 public:
  /// An object has come, has changed or is gone; "" for `name`: all have been listed.
  using OnChange =
      std::function<void(DeviceKind kind, const std::string& name, DeviceChange change)>;

  /// `per_node`: see DeviceDriver.
  SimulatedDevices(const Reflector::Seams& seams, int per_node, DevicePreparer::WakePod wake,
                   OnChange on_change);

  /// From the reflector of nodes.
  void node_changed(const Json& node) { driver_.node_changed(node); }
  void node_removed(const std::string& key) { driver_.node_removed(key.substr(key.find('/') + 1)); }

  [[nodiscard]] DevicePreparer& preparer() { return preparer_; }
  [[nodiscard]] const DeviceView& view() const { return view_; }
  /// Takes the response to a write in; returns whether the view has the object.
  bool take(Json object);

  /// Takes in what the server reports; returns when it wants to be called next.
  Time follow();
  /// Does what is due; returns when it wants to be called next.
  Time step();

 private:
  void follow(DeviceKind kind, const Reflector::Seams& seams);
  void notify(DeviceKind kind, const std::string& name, DeviceChange change);

  DeviceView view_;
  const OnChange on_change_;
  DeviceDriver driver_;
  DevicePreparer preparer_;
  std::vector<std::unique_ptr<Reflector>> followed_;
};

}  // namespace davit::sandbox

/// The simulated device driver devices.sandbox.davit.dev, which publishes the devices of nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/device_objects.hpp"
#include "nodes/device_view.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

/// Keeps the ResourceSlices of all simulated nodes as their annotations have it, and creates the
/// driver's DeviceClass once. One write for each node is under way at a time. The slices of a Node
/// that is gone are left to the garbage collector. Belongs to one thread.
class DeviceDriver {
 public:
  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Logger log;
  };
  /// Takes the object of a response in; returns whether the view has the object.
  using Take = std::function<bool(Json object)>;

  /// `per_node`: the number of devices of a node without annotation. `view` must outlive it. `take`
  /// gets the objects that its writes return.
  DeviceDriver(Seams seams, const DeviceView& view, int per_node, Take take);

  /// From the reflector of nodes.
  void node_changed(const Json& node);
  void node_removed(const std::string& name);
  /// A slice is new, has changed or is gone; `slice`: as it is or was.
  void slice_changed(const Json& slice);
  /// Begins once all objects of the view have been listed.
  void begin();

  /// Does what is due; returns when it wants to be called next.
  Time step();

 private:
  struct Work {
    Json node;  // Its metadata.
    bool writing = false;
    int failures = 0;  // In a row.
    Time not_before{};
    std::string reported;  // The last mistake that was reported.
    /// The text that was last written to each slice, and the version that this made. The
    /// server's form of a slice may differ from what was written.
    std::map<std::string, std::pair<std::string, std::uint64_t>> written;
  };

  void look_at(const std::string& node);
  void consider(const std::string& name, Work& work);
  /// The next write for the node; nothing if its slices are as they should be.
  [[nodiscard]] std::optional<ApiCall> next_write(Work& work, const NodeDevices& devices,
                                                  std::string& slice) const;
  void written(const std::string& name, const std::string& slice, const std::string& body,
               const ApiResponse& response);
  void create_class();
  /// Reports what is wrong with the annotations of the node.
  void report(Work& work, const std::string& message);

  Seams seams_;
  const DeviceView& view_;
  const int per_node_;
  const Take take_;
  bool begun_ = false;
  std::unordered_map<std::string, Work> nodes_;
  Timetable due_;  // Nodes, and "" for the class.
};

}  // namespace davit::sandbox

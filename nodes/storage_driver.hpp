/// The simulated CSI driver sandbox.davit.dev: its sidecars, as clients of the API.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/capacity_plan.hpp"
#include "nodes/storage_plan.hpp"
#include "nodes/storage_view.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

/// Creates, attaches, resizes and deletes volumes that exist only as objects, and registers the
/// driver, its classes and the simulated nodes. Processes an object whenever it, or an object that
/// it depends on, changes; sends one write per object at a time. Belongs to one thread.
class StorageDriver {
 public:
  struct Seams {
    ApiCalls& api;
    Clock& clock;
    Logger log;
  };

  /// Takes the object of a response in; returns whether the view has the object.
  using Take = std::function<bool(Json object)>;

  /// `view` must outlive it. `take` gets the objects that its writes return.
  StorageDriver(Seams seams, const StorageView& view, Take take);

  /// An object of the view is new, has changed or is gone. `name`: as the view has it; `object`: as
  /// it is or was.
  void changed(StorageKind kind, const std::string& name, const Json& object);
  /// Begins once all objects have been listed, except those of kCapacity, which an old server does
  /// not have.
  void begin();
  /// Looks at all classes and what is published of them, for when those objects have been listed.
  void look_at_capacities();

  /// Does the due work; returns when it must be called next.
  Time step();

 private:
  struct Item {
    StorageKind kind;
    std::string name;
  };
  struct Work {
    std::string operation;  // The present one; empty: none.
    Time since{};           // When that began.
    bool writing = false;
    int failures = 0;  // In a row.
    Time not_before{};
  };

  [[nodiscard]] static std::string id_of(const Item& item);
  [[nodiscard]] static Item item_of(const std::string& id);
  void look_at(StorageKind kind, const std::string& name);
  /// At all attachments of the volume.
  void look_at_attachments(const std::string& volume);
  void look_at_claims();
  /// Updates which part of the cluster the node is in. Nodes change often, and their parts hardly
  /// ever, so only the first or last node of a part is a reason to look at the capacities.
  void place(const std::string& node);
  void consider(const std::string& id);
  [[nodiscard]] StorageStep next_step(const Item& item) const;
  void write(const std::string& id, StorageStep step);
  void written(const std::string& id, const StorageStep& step, const ApiResponse& response);
  /// The time until the next try.
  [[nodiscard]] static Duration pause_of(Work& work);
  void post_event(const Item& item, const std::optional<StorageEvent>& event);

  Seams seams_;
  const StorageView& view_;
  const Take take_;
  bool begun_ = false;
  std::set<std::string> to_create_;  // The driver and its classes, by their ids, until they exist.
  std::unordered_map<std::string, Work> work_;
  std::unordered_map<std::string, StorageSegment> places_;  // Nodes that have the driver.
  StorageSegments segments_;                                // The same, counted.
  Timetable due_;
};

}  // namespace davit::sandbox

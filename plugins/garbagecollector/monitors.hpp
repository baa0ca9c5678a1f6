/// The informers that fill the graph: one for each resource that can be collected.
#pragma once

#include <davit/context.hpp>
#include <map>
#include <optional>
#include <string>

#include "plugins/garbagecollector/resource_plan.hpp"
#include "plugins/garbagecollector/shared_graph.hpp"

namespace davit::garbage {

/// Follows what the server offers: asks every kPeriod, opens and closes informers, and opens the
/// graph once it is filled, or after kWait without the resources that cannot be listed. Only for
/// the constructor of the controller and for syncs of a queue with one worker.
class Monitors {
 public:
  static constexpr std::chrono::seconds kPeriod{30};
  static constexpr std::chrono::seconds kWait{30};

  /// `queue` is that of sync(). The references outlive this. Opens what the server offers now, so
  /// that a build that replaces another one finds its informers filled.
  Monitors(Context& cluster, Queue queue, SharedGraph& graph, Discover discover);

  [[nodiscard]] Result<Again> sync(const Key& key);

 private:
  /// Asks the server what it offers.
  void look();
  /// False if something could not be opened.
  [[nodiscard]] bool follow(const ResourceSet& wanted);
  [[nodiscard]] bool open(const ResourceId& id, const std::string& kind);
  /// The accepted resources whose informers have their content.
  [[nodiscard]] ResourceSet synced() const;
  [[nodiscard]] bool is_synced(const ResourceId& id) const;
  [[nodiscard]] Again wait_for_content();
  void count_error(std::string_view what, std::string_view why) const;

  Context& cluster_;
  const Queue queue_;
  SharedGraph& graph_;
  const Discover discover_;
  const Metric errors_;
  std::map<ResourceId, DynamicInformer> informers_;
  ResourceSet accepted_;      // The resources that are watched without an error.
  bool waits_ = true;         // For the content of new informers.
  std::optional<Time> wait_;  // Until when; from the first sync on.
};

}  // namespace davit::garbage

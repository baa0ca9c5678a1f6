/// The garbage collector: deletes what has owners and none of them is left, and does the work that
/// foreground and orphan deletion wait for.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/garbagecollector/collector.hpp"
#include "plugins/garbagecollector/monitors.hpp"
#include "plugins/garbagecollector/shared_graph.hpp"

namespace davit::garbage {

/// Wires its parts: the informers of Monitors change the graph, which hands keys to the two queues,
/// whose work the Collector does. Keeps nothing that the informers would not show again, so the
/// next build needs no state of it.
class GarbageCollector final : public Controller {
 public:
  [[nodiscard]] static InitResult open(Context& cluster);
  /// The same with another source of what the server offers, for tests.
  [[nodiscard]] static InitResult open_with(Context& cluster, Discover discover);

  GarbageCollector(Context& cluster, Discover discover);

  /// "graph": see graph_page().
  [[nodiscard]] Result<DebugPage> debug(std::string_view path,
                                        std::string_view query) const override;

 private:
  const Queue changes_;
  const Queue deletions_;
  const Queue orphans_;
  SharedGraph graph_;
  Collector collector_;
  Monitors monitors_;
};

}  // namespace davit::garbage

#include "plugins/garbagecollector/garbage_collector.hpp"

#include <davit/options.hpp>
#include <memory>
#include <utility>

#include "plugins/garbagecollector/graph_page.hpp"

namespace davit::garbage {

InitResult GarbageCollector::open(Context& cluster) {
  return open_with(cluster, [&cluster](Freshness freshness) {
    return find_offer(cluster.discovery(), freshness, cluster.now());
  });
}

InitResult GarbageCollector::open_with(Context& cluster, Discover discover) {
  if (Status s = check_options(cluster.config(), {}); !s.ok()) return s;
  return std::unique_ptr<Controller>(
      std::make_unique<GarbageCollector>(cluster, std::move(discover)));
}

GarbageCollector::GarbageCollector(Context& cluster, Discover discover)
    : changes_(cluster.open_queue({.name = "garbage_collector_graph_changes", .workers = 1},
                                  [this](const Key& key) { return monitors_.sync(key); })),
      deletions_(
          cluster.open_queue({.name = "garbage_collector_attempt_to_delete"},
                             [this](const Key& key) { return collector_.sync_deletion(key); })),
      orphans_(cluster.open_queue({.name = "garbage_collector_attempt_to_orphan"},
                                  [this](const Key& key) { return collector_.sync_orphans(key); })),
      graph_(deletions_, orphans_, cluster.events()),
      collector_(graph_, LiveObjects(cluster.client(), cluster.discovery()), cluster.log()),
      monitors_(cluster, changes_, graph_, std::move(discover)) {}

Result<DebugPage> GarbageCollector::debug(std::string_view path, std::string_view query) const {
  if (path != "graph") return Controller::debug(path, query);
  return DebugPage{.body = graph_.page(uids_of_query(query)), .content_type = "text/vnd.graphviz"};
}

}  // namespace davit::garbage

/// The informers that fill the graph: one for each resource that can be collected.
#pragma once

#include <davit/context.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "plugins/garbagecollector/resource_plan.hpp"
#include "plugins/garbagecollector/shared_graph.hpp"

namespace davit::garbage {

/// Follows what the server offers: opens and closes informers, and opens the graph once it is
/// filled, or after kWait without the resources that cannot be listed. Only for the constructor of
/// the controller and for syncs of a queue with one worker.
///
/// The host asks the server for all its controllers and reports changes at once. It is asked to do
/// so whenever a definition of a custom kind or an aggregated API changes. The look every kPeriod
/// opens what could not be opened before, and asks the server where the host could not.
///
/// One answer of discovery that lacks a resource proves nothing, so the resource's informer stays.
/// It is closed when an informer of another version has its content, or when the server does not
/// serve the resource and the graph has no object of it.
///
/// A standby that takes over knows what the server offered, and what there was, when it started.
/// The first sync therefore asks the server again. The graph does not open before it has answered
/// and each informer that can be listed is known to be as new as the beginning.
class Monitors {
 public:
  static constexpr std::chrono::seconds kPeriod{30};
  static constexpr std::chrono::seconds kWait{30};
  /// The pause before the server is queried again, or an informer that delays the graph is checked.
  static constexpr std::chrono::seconds kRetry{5};

  /// `queue` is that of sync(). The references outlive this. Opens what the server offers now, so
  /// that a build that replaces another one finds its informers filled.
  Monitors(Context& cluster, Queue queue, SharedGraph& graph, Discover discover);

  [[nodiscard]] Result<Again> sync(const Key& key);

 private:
  using Watched = ResourceSet::value_type;  // With its kind, which may change.
  struct Followed {
    DynamicInformer informer;
    std::shared_ptr<SharedGraph::Feed> feed;
    bool was_filled = false;
  };
  using Informers = std::map<Watched, Followed>;

  void look();
  /// Opens the wanted informers that are not open, those of Kubernetes' own kinds first.
  void follow();
  [[nodiscard]] bool open(const Watched& watched);
  void log_vanished(const ResourceSet& before) const;
  /// Notes which informers have had their content.
  void note_filled();
  /// Closes informers that are no longer needed.
  void retire();
  /// The wanted informer of the same resource, if it is open.
  [[nodiscard]] Informers::const_iterator successor_of(const Watched& watched) const;
  /// Whether there is nothing left to follow.
  [[nodiscard]] bool is_gone(const Watched& watched, const Followed& followed) const;
  /// Has those objects looked up that the informer that is closed has shown, and its successor does
  /// not.
  void reconcile(const Watched& closed, const Informers::value_type& successor) const;
  /// The wanted resources whose informers have had their content.
  [[nodiscard]] ResourceSet filled() const;
  [[nodiscard]] Again wait_for_content();
  void count_error(std::string_view what, std::string_view why) const;

  Context& cluster_;
  const Queue queue_;
  SharedGraph& graph_;
  const Discover discover_;
  const Metric errors_;
  Informers informers_;
  ResourceSet wanted_;        // According to the last answer.
  bool has_looked_ = false;   // The server has answered since the first sync.
  bool waits_ = true;         // For the content of new informers.
  std::optional<Time> wait_;  // Until when; from the first sync on.
};

}  // namespace davit::garbage

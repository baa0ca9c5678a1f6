/// The caches of a test cluster's host: its informers, fed step by step.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "host/cache/cache_metrics.hpp"
#include "host/cache/informer_factory.hpp"
#include "testing/cluster_clock.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {

/// The options of informers that Caches feeds.
[[nodiscard]] host::ReflectorOptions stepped_reflector(std::uint32_t page_size);

/// A watch ends when it has delivered what there is. So each step of a reflector ends, and the
/// content of each informer is confirmed at each instant. A watch asks the server only if its
/// resource has changed. Resources are named as for ClusterServer::find(). Single-threaded.
class Caches final : public host::ListWatch, public host::CacheMetrics {
 public:
  /// Lists come in one page, so that a cheap list verifies every content.
  static constexpr std::uint32_t kOnePage = std::numeric_limits<std::int32_t>::max();

  /// The references must outlive this.
  Caches(ClusterServer& server, ClusterClock& clock, std::uint32_t page_size = kOnePage)
      : server_(server), clock_(clock), page_size_(page_size) {}

  /// Takes the informers of the host, whose seam this is. They outlive all calls. Before any other
  /// call.
  void feed(host::InformerFactory& factory) { factory_ = &factory; }

  [[nodiscard]] std::vector<host::Informer*> informers() const { return factory_->informers(); }

  /// Updates every informer that is not on hold to the server's state.
  void follow();
  /// When a list or watch that has failed is tried again.
  [[nodiscard]] std::optional<Time> next_due() const;

  /// Nothing reaches the informers of a resource, as if their watch stalled.
  void hold(std::string_view resource);
  void release(std::string_view resource);
  /// Lets the oldest change that is held back through. False: there is none.
  bool release_one(std::string_view resource);
  /// The connection is lost, for lists and watches of a resource.
  void begin_outage(std::string_view resource);
  void end_outage(std::string_view resource);

  /// Stalls the server's watch cache of a resource at a revision: lists at version 0 and watches
  /// show the state of that time, and only consistent reads show later changes. An empty name means
  /// all resources.
  void lag(std::string_view resource, sandbox::Revision shown);
  /// Ends every lag().
  void catch_up() { lags_.clear(); }
  /// Until then the server answers no consistent list: nothing can be verified, while its watch
  /// cache keeps serving.
  void refuse_consistent_lists(Time until) { consistent_from_ = until; }

  /// Listeners get every object again, as by the periodic resync.
  void resync(std::string_view resource);
  /// The number of times that informers of a resource were asked to confirm their content.
  [[nodiscard]] int verifications(std::string_view resource) const;
  /// The number of lists of a resource for the informers.
  [[nodiscard]] int lists(std::string_view resource) const;

 private:
  class Counter;
  static constexpr int kQuietWatches = 2;

  struct Follower {
    host::Informer* informer = nullptr;
    sandbox::Revision seen = 0;         // The server's, when it was last asked.
    std::optional<Time> at{};           // When.
    std::uint64_t interrupts = 0;       // interrupts_ then.
    bool is_listing = false;            // A list came after the last two watches.
    int quiet_watches = 0;              // One after the other, since follow() began.
    std::optional<Time> waits_until{};  // After a failure.
    bool gets_bookmarks = false;        // At the end of each watch without news.
    bool is_before_restore = false;     // No watch has shown yet that the server was restored.
    sandbox::Revision followed = 0;     // The server's, when this was last up to date.
    bool is_missing = false;            // The server did not serve the resource, when it was asked.
  };

  Status stream(const host::Selection& what, const host::ReflectorRequest& request,
                std::stop_token stop, const ChunkSink& sink) override;
  std::unique_ptr<host::InformerMetrics> informer(const host::ResourceId& resource) override;

  /// Sends a list or watch to the server.
  [[nodiscard]] HttpServerResponse ask(const host::Selection& what,
                                       const host::ReflectorRequest& request);
  /// The same for a list from the server's watch cache, which has stalled at `shown`.
  [[nodiscard]] HttpServerResponse ask_cache(const host::Selection& what,
                                             const host::ReflectorRequest& request,
                                             sandbox::Revision shown);
  [[nodiscard]] bool is_behind(const Follower& follower) const;
  /// The revision that the server's watch cache of a resource shows; nothing: the present one.
  [[nodiscard]] std::optional<sandbox::Revision> lagging_at(const std::string& qualified) const;
  /// "replicasets.apps" of "replicasets"; a resource that is not served stays as it is.
  [[nodiscard]] std::string qualified_name(std::string_view resource) const;
  /// If the server was restored to an older state, watches continue, and the next bookmark shows
  /// its version.
  void notice_restored_server();
  /// The event by which a server names the version that it has shown.
  [[nodiscard]] std::string bookmark(const host::Selection& what,
                                     const sandbox::Resource& resource) const;
  [[nodiscard]] bool may_be_verified(const Follower& follower) const;
  void step(Follower& follower);
  /// Those that exist now, all prepared.
  std::deque<Follower>& followers();
  /// Up to which revision a resource may be seen; nothing: up to the present one.
  [[nodiscard]] std::optional<sandbox::Revision> limit(const std::string& qualified) const;

  ClusterServer& server_;
  ClusterClock& clock_;
  const std::uint32_t page_size_;
  host::InformerFactory* factory_ = nullptr;       // Since feed().
  std::deque<Follower> followers_;                 // In the order of the factory.
  Follower* current_ = nullptr;                    // The one that takes a step.
  std::map<std::string, sandbox::Revision> held_;  // The key is a qualified name.
  std::map<std::string, sandbox::Revision> lags_;  // The key is a qualified name, or empty.
  std::set<std::string> broken_;
  Time consistent_from_ = Time::min();
  sandbox::Revision known_revision_ = 0;  // The server's, at the last follow().
  std::uint64_t interrupts_ = 0;          // Relists requested, of any informer.
  std::map<std::string, int> verifications_;
  std::map<std::string, int> lists_;
};

}  // namespace davit::testing

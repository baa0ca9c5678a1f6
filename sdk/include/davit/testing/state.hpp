/// The state behind testing::Cluster: server, caches, clock, controllers and records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <davit/testing/api_server.hpp>
#include <davit/testing/declaration.hpp>
#include <davit/testing/document.hpp>
#include <davit/testing/records.hpp>
#include <davit/testing/work.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// Who calls into the host.
enum class Caller { kNobody, kInit, kHandler, kSync };

struct ClusterState;

/// The host as one controller sees it; what davit_host points to.
struct HostState {
  HostState(ClusterState& owner, std::string its_name, Declaration declared)
      : cluster(owner), name(std::move(its_name)), declaration(std::move(declared)) {}

  ClusterState& cluster;
  std::string name;
  Declaration declaration;
  Caller caller = Caller::kNobody;
  bool started = false;
  std::string error_text;
  std::string refusal;  ///< What the host refused in the call that runs, and what to write.
  DocumentPtr config;
  davit_context context{};
  davit_controller controller{};
  // Deques: the plugin's handles are positions, and the host keeps references.
  std::deque<WorkQueue> queues;
  std::deque<TestTimer> timers;
  std::deque<Subscription> subscriptions;
  std::vector<std::string> metrics;
  std::map<davit_handle, davit_value> retained;
  std::map<davit_handle, DocumentPtr> retained_documents;
  davit_handle last_retained = 0;

  /// Notes what is outside of the note.
  inline void refuse(const std::string& what);
  /// What the controller said, and what the host had refused it.
  [[nodiscard]] std::string explained_error() const {
    if (refusal.empty() || error_text.find(refusal) != std::string::npos) return error_text;
    return error_text.empty() ? refusal : error_text + ": " + refusal;
  }

  [[nodiscard]] davit_host* raw() { return reinterpret_cast<davit_host*>(this); }
  [[nodiscard]] static HostState& of(davit_host* raw) { return *reinterpret_cast<HostState*>(raw); }
};

/// What the informers of one resource have seen.
struct Cache {
  std::map<Key, DocumentPtr> objects;
  std::deque<WatchChange> pending;  ///< Made on the server and not seen yet.
  bool held = false;
  Time held_at{};         ///< Since when, while it is.
  Time followed_since{};  ///< The end of the last outage.
  int verifications = 0;  ///< So often a controller wanted to know whether it is current.
  std::int64_t seen = 0;  ///< resourceVersion of the last change applied.
};

struct ClusterState {
  explicit ClusterState(WallTime start)
      : wall_start(start),
        server(
            space, [this] { return wall_now(); },
            [this](const WatchChange& change) {
              caches[change.resource].pending.push_back(change);
            }) {}
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  ObjectSpace space;
  Time now{};
  WallTime wall_start;
  std::map<std::string, Cache, std::less<>> caches;  ///< By the resource's qualified name.
  ApiServer server;
  std::vector<std::unique_ptr<HostState>> hosts;
  std::set<std::string> missing_resources;
  std::vector<Fault> faults;
  std::function<void(const RequestRecord&)> on_request;
  bool read_your_writes = true;
  std::uint64_t random_state = 1;

  std::vector<RequestRecord> requests;
  std::vector<EventRecord> events;
  std::vector<LogRecord> log;
  std::vector<MetricSample> metrics;
  std::vector<SyncRecord> syncs;
  std::vector<std::string> violations;

  [[nodiscard]] WallTime wall_now() const { return wall_start + now.time_since_epoch(); }

  // ---- What a call borrows ----

  struct Loans {
    std::vector<DocumentPtr> documents;
    std::deque<std::vector<davit_value>> lists;
    std::deque<std::string> texts;
  };
  int depth = 0;
  Loans loans;  ///< End when the outermost call into a controller returns.
  Loans kept;   ///< What the test itself reads.

  [[nodiscard]] davit_value lend(DocumentPtr document, std::uint32_t mask) {
    const davit_value value = document->value(mask);
    (depth > 0 ? loans : kept).documents.push_back(std::move(document));
    return value;
  }
  [[nodiscard]] davit_str lend(std::string text) {
    return to_c(loans.texts.emplace_back(std::move(text)));
  }

  /// A call into a controller: says who calls, and ends the loans afterwards.
  class Call {
   public:
    Call(ClusterState& cluster, HostState& host, Caller caller)
        : cluster_(cluster), host_(host), before_(std::exchange(host.caller, caller)) {
      ++cluster_.depth;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      host_.caller = before_;
      cluster_.report_refused_reads(host_);
      if (--cluster_.depth == 0) cluster_.loans = Loans();
    }

   private:
    ClusterState& cluster_;
    HostState& host_;
    Caller before_;
  };

  /// Lists the reads outside a projection of a call that has ended, each field once.
  void report_refused_reads(HostState& host) {
    for (const ObjectSpace::Refused& each : std::exchange(space.refused, {})) {
      const Projections::Whereabouts at = space.projections.whereabouts(each.mask, each.member);
      const auto of =
          std::find_if(host.subscriptions.begin(), host.subscriptions.end(),
                       [&at](const Subscription& opened) { return opened.mask == at.root; });
      const std::string resource = of == host.subscriptions.end() ? "an object" : of->resource;
      host.refuse("read of \"" + at.path + "\" of " + resource +
                  ": not in the declared projection; \"projection\" of that watch needs it");
    }
  }

  // ---- From the server to the handlers ----

  /// Applies one pending change of a cache and tells the handlers.
  void deliver_next(Cache& cache) {
    const WatchChange change = cache.pending.front();
    cache.pending.pop_front();
    cache.seen = change.version;
    const Key key = ApiServer::key_of(change.object->json());
    DocumentPtr& place = cache.objects[key];
    const DocumentPtr old = place;
    place = change.object;
    if (change.type == DAVIT_EVENT_DELETED) cache.objects.erase(key);
    for (const auto& host : hosts) {
      for (Subscription& each : host->subscriptions) {
        if (host->started && each.resource == change.resource) notify(*host, each, change, old);
      }
    }
  }
  /// Delivers what is pending in caches that are not held. Whether there was anything.
  bool deliver_all() {
    bool any = false;
    for (auto& [resource, cache] : caches) {
      while (!cache.held && !cache.pending.empty()) {
        deliver_next(cache);
        any = true;
      }
    }
    return any;
  }
  /// The first content of a controller's informers.
  void deliver_initial(HostState& host) {
    for (Subscription& each : host.subscriptions) {
      for (const auto& [key, object] : caches[each.resource].objects) {
        notify(host, each, {each.resource, DAVIT_EVENT_ADDED, object, 0}, nullptr,
               Content::kInitial);
      }
    }
  }

  /// Whether the server would send an object to an informer.
  [[nodiscard]] bool sees(const Subscription& informer, const Document& object) const {
    return server.selects(informer.resource, object.json(),
                          {informer.label_selector, informer.field_selector});
  }

  enum class Content { kInitial, kChange };

  /// Calls one handler with what its selector lets it see.
  void notify(HostState& host, Subscription& to, const WatchChange& change, const DocumentPtr& old,
              Content content = Content::kChange) {
    const bool knew = old != nullptr && sees(to, *old);
    const bool gone = change.type == DAVIT_EVENT_DELETED || !sees(to, *change.object);
    if (to.on_event == nullptr || (!knew && gone)) return;
    const Call call(*this, host, Caller::kHandler);
    davit_event event{};
    event.size = sizeof(event);
    event.type = gone ? DAVIT_EVENT_DELETED : (knew ? DAVIT_EVENT_UPDATED : DAVIT_EVENT_ADDED);
    event.initial = content == Content::kInitial ? 1 : 0;
    event.value = lend(change.object, to.mask);
    if (event.type == DAVIT_EVENT_UPDATED) event.old_value = lend(old, to.mask);
    to.on_event(to.self, &event);
  }

  // ---- Work ----

  /// Whether the cache has seen what the key's syncs wrote.
  [[nodiscard]] bool caught_up(WorkQueue& queue, const std::string& key) {
    if (!read_your_writes) return true;
    for (const auto& [resource, version] : queue.waits(key)) {
      const Cache& cache = caches[resource];
      if (cache.seen < version && !cache.pending.empty()) return false;
    }
    return true;
  }
  /// Runs the first key that may run, of any queue. Whether there was one.
  bool sync_next() {
    for (const auto& host : hosts) {
      if (!host->started) continue;
      for (WorkQueue& queue : host->queues) {
        queue.wake(now);
        for (const std::string& key : queue.ready()) {
          if (!caught_up(queue, key)) continue;
          sync(*host, queue, std::string(key));
          return true;
        }
      }
    }
    return false;
  }

  void sync(HostState& host, WorkQueue& queue, const std::string& key) {
    davit_sync_result result{};
    result.size = sizeof(result);
    host.error_text.clear();
    host.refusal.clear();
    queue.begin(key);
    davit_code code = DAVIT_OK;
    {
      const Call call(*this, host, Caller::kSync);
      code = queue.options().sync(queue.options().self, to_c(key), &result);
    }
    queue.end();
    if (code == DAVIT_UNDECLARED) host.error_text = host.explained_error();
    syncs.push_back({host.name, key, from_c(code), host.error_text, result.again_ms});
    if (code == DAVIT_OK) {
      queue.forget(key);
      if (result.again_ms != 0) queue.add_at(key, now + std::chrono::milliseconds(result.again_ms));
      return;
    }
    syncs.back().again_ms = 0;
    const std::uint32_t max = queue.options().retries_max;
    if (max != 0 && queue.failures(key) >= max) return queue.forget(key);
    queue.add_at(key, now + queue.back_off(key));
  }

  /// When something becomes due, at the earliest.
  [[nodiscard]] std::optional<Time> next_due() const {
    std::optional<Time> due;
    const auto consider = [&due](const std::optional<Time>& at) {
      if (at && (!due || *at < *due)) due = at;
    };
    for (const auto& host : hosts) {
      if (!host->started) continue;
      for (const WorkQueue& queue : host->queues) consider(queue.next_due());
      for (const TestTimer& timer : host->timers) consider(timer.due);
    }
    return due;
  }
  /// Fires every timer that is due.
  void fire_timers() {
    for (const auto& host : hosts) {
      for (TestTimer& timer : host->timers) {
        if (!host->started || !timer.due || *timer.due > now) continue;
        timer.due.reset();
        {
          const Call call(*this, *host, Caller::kSync);
          timer.options.fire(timer.options.self);
        }
        if (timer.options.period_ms == 0) continue;
        timer.due = now + std::chrono::milliseconds(timer.options.period_ms);
      }
    }
  }
};

inline void HostState::refuse(const std::string& what) {
  if (refusal.empty()) refusal = what;
  std::string line = name + ": " + what;
  std::vector<std::string>& all = cluster.violations;
  if (all.empty() || all.back() != line) all.push_back(std::move(line));
}

}  // namespace davit::testing

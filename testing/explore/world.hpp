/// One explored run's cluster: its server, the points at which the run may take another course, and
/// what is remembered of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/random.hpp"
#include "sandbox/rest/url.hpp"
#include "testing/cluster_clock.hpp"
#include "testing/cluster_server.hpp"
#include "testing/explore/content.hpp"
#include "testing/explore/data_invariants.hpp"
#include "testing/explore/plan.hpp"
#include "testing/explore/scenario.hpp"

namespace davit::explore {

class Process;

/// A fault that a run has shown.
struct Violation {
  /// "stale-write", "two-writers", "surplus", "deletion", "data", "end", "resync", "requests",
  /// "kept", "catalog", "start", "never-idle", "not-deterministic", "misuse" or "scenario".
  std::string oracle;
  std::string text;
};

/// A point that a run has passed.
struct PassedPoint {
  Point point = Point::kRequest;
  int number = 0;
  std::string what;        ///< "create pods", "replicaset-controller".
  bool is_write = false;   ///< A request that changes something.
  bool is_update = false;  ///< A write of an object that is there.
  /// In the undisturbed run: those that the caches of the process could have seen until then.
  std::size_t changes = 0;
  /// In the undisturbed run: their numbers, by resource.
  std::map<std::string, std::size_t> changed{};
  /// The resources of the changes that a write has led to.
  std::vector<std::string> own{};
  /// The last requests by which controllers have changed something, up to a change that the
  /// scenario has made. 0 after the end, which leaves no time to repair what is lost.
  std::size_t own_changes = 0;
  /// The scenario's changes so far before which nothing was left to do.
  std::size_t quiet_changes = 0;
  /// Equal for points from which equal runs go on in the same way.
  std::uint64_t state = 0;
  std::uint64_t moment = 0;  ///< Equal for points of one step of the scenario at one time.
  /// Equal for points between which nothing has changed but the process itself: ends of the process
  /// there lead to equal runs. For a write also the same right after it.
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

/// A change of a server.
struct MadeChange {
  std::string resource;      ///< "replicasets.apps"
  std::uint64_t moment = 0;  ///< As of a PassedPoint.
  Writer writer = Writer::kScenario;
};

/// The outcome of a run.
struct RunResult {
  std::vector<std::string> log;  ///< The same bytes for the same line on every machine.
  std::vector<Violation> violations;
  std::vector<PassedPoint> points;
  /// In the undisturbed run: the changes between the start of the first process and the last rest,
  /// in order, behind as many of before that start.
  std::vector<MadeChange> made;
  std::size_t made_before_start = 0;
  /// In the last rest nothing is a point: a fault just before the end would leave no time for what
  /// repairs it.
  bool is_last_rest = false;
  std::vector<std::string> end;  ///< The picture of the content.
  ContentLimits counts;
  std::vector<std::string> watched;  ///< Resources that the caches follow and that changed.
  bool has_outage = false;           ///< Discovery was wrong for a while.
  bool has_met_discovery = false;    ///< A document of discovery was wrong.
  std::uint64_t step = 0;            ///< The scenario's present one.
  std::size_t quiet_changes = 0;     ///< See PassedPoint.
  /// Until then the caches do not catch up.
  Time hidden_until = Time::min();
  bool lags = false;  ///< A cache was held and has not caught up.
  std::size_t requests = 0;
  std::size_t syncs = 0;
  std::size_t resync_writes = 0;  ///< Changes that the resync of all keys has led to.

  [[nodiscard]] bool ok() const { return violations.empty(); }
};

/// The outcome of a request.
struct Reply {
  enum class Kind : std::uint8_t {
    kResponse,
    kBroken,  ///< The connection broke.
    kEnded,   ///< The process that sent it has ended.
  };
  Kind kind = Kind::kResponse;
  HttpServerResponse response{};
};

/// Single-threaded.
class World {
 public:
  /// Called by a suspended process: lets another one lead, and returns.
  using Suspend = std::function<void(Process&)>;
  /// `undisturbed` is null for the undisturbed run itself. The references outlive this.
  World(const Scenario& scenario, const Plan& plan, const RunResult* undisturbed, Suspend suspend);

  [[nodiscard]] testing::ClusterClock& clock() { return clock_; }
  [[nodiscard]] testing::ClusterServer& server() { return server_; }
  [[nodiscard]] const Content& content() const { return *content_; }
  [[nodiscard]] RunResult& result() { return result_; }

  /// Passes a point and returns what is decided there; null: nothing.
  const Decision* pass(PassedPoint point, const Process& process);

  /// The same for a decision at a point that may never be passed: it is not met there again.
  void pass_early(const Decision& decision);

  /// A controller's request, before the gate for writes is asked. It may suspend the process.
  const Decision* before_request(Process& process, const HttpServerRequest& request);
  /// Carries it out as decided.
  [[nodiscard]] Reply request(Process& process, const HttpServerRequest& request,
                              const Decision* decision);
  /// The host's own request.
  [[nodiscard]] Reply discovery(Process& process, const HttpServerRequest& request);

  void log(std::string line) { result_.log.push_back(std::move(line)); }
  void violate(const std::string& oracle, const std::string& text);

  /// The process that leads, by the lease; empty: none.
  void lead(const std::string& leader);
  /// The revision at which a process other than this last led; 0: none did.
  [[nodiscard]] sandbox::Revision others_led_until(const std::string& process) const;

  /// The server loses the changes of the last requests, as by a restored backup.
  void restore(std::size_t requests);

  /// The changes so far of resources ("pods", "replicasets.apps"), oldest first. Empty if they are
  /// fewer than `least`.
  [[nodiscard]] std::vector<sandbox::Revision> changes_of(const std::set<std::string>& resources,
                                                          std::size_t least = 0) const;

 private:
  /// Logs a decision.
  void note(const Decision& decision);
  [[nodiscard]] Reply serve(Process& process, const HttpServerRequest& request,
                            const sandbox::Url& url, const Decision* decision);
  [[nodiscard]] std::unique_ptr<Content> new_content() const;
  void check_write(const Process& process, const HttpServerRequest& request,
                   const sandbox::Url& url, const std::string& what);
  /// Whether the scenario has a controller keep its hands off what `url` names.
  [[nodiscard]] bool is_kept(const sandbox::Url& url) const;
  /// A sum of the scenario's step and the time.
  [[nodiscard]] std::uint64_t moment() const;
  void changed(const sandbox::Collection& collection, const sandbox::Change& change);

  /// A change of the server.
  struct Seen {
    sandbox::Collection collection;
    sandbox::Change change;
    std::string resource;
    Writer writer = Writer::kScenario;
    std::size_t request = 0;  // The number of the one that has led to it.

    [[nodiscard]] sandbox::Revision revision() const { return change.object->revision; }
  };
  /// Counts a change that comes next in `changes_`.
  void count(const Seen& next);

  const Scenario& scenario_;
  const RunResult* const undisturbed_;
  std::map<std::pair<Point, int>, const Decision*> decisions_;
  std::map<Point, int> passed_{
      {Point::kRequest, 0}, {Point::kDiscovery, 0}, {Point::kTurn, 0}, {Point::kTimer, 0}};
  const Suspend suspend_;
  const std::size_t requests_max_;

  testing::ClusterClock clock_;
  const std::unique_ptr<Random> names_ = make_seeded_random(1);
  testing::ClusterServer server_{clock_, *names_};
  std::unique_ptr<Content> content_;
  DataInvariants invariants_;
  Writer writer_ = Writer::kScenario;
  std::vector<Seen> changes_;                   // In order.
  std::map<std::string, std::size_t> changed_;  // Their numbers, by resource.
  // The number of requests that have led to the last changes of controllers.
  std::size_t own_changes_ = 0;
  Choice outage_ = Choice::kUnavailable;  // In discovery.
  Time outage_end_ = Time::min();
  std::string leader_;
  std::map<std::string, sandbox::Revision> led_until_;
  RunResult result_;
};

/// "replicasets.apps" of "replicasets"; a resource that is not served stays as it is.
[[nodiscard]] std::string full_name(const testing::ClusterServer& server,
                                    const std::string& resource);

/// "create pods/web-1": a request for people.
[[nodiscard]] std::string request_text(const HttpServerRequest& request, const sandbox::Url& url);

}  // namespace davit::explore

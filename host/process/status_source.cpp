#include "host/process/status_source.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "host/journal/journal_json.hpp"
#include "host/metrics/process_stats.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// A page of them; the journal has the rest.
constexpr std::size_t kWritesShown = 30;
/// The limit of one controller, so that a busy one leaves room for others.
constexpr std::size_t kWritesOfController = 10;

LeadershipState leadership_of(const StatusParts& parts) {
  if (parts.elections == nullptr) return {};
  return {.role = parts.elections->is_leader() ? LeadershipState::Role::kLeader
                                               : LeadershipState::Role::kStandby,
          .lease = parts.lease,
          .holder = parts.elections->holder()};
}

}  // namespace

HostStatus collect_status(StatusParts parts) {
  const ProcessUse process = read_process_use();
  HostStatus status;
  status.time = parts.clock.wall_now();
  status.now = parts.clock.now();
  status.version = kVersion;
  status.resident_bytes = process.resident_bytes;
  status.allocated_bytes = process.allocated_bytes;
  status.cpu_seconds = process.cpu_seconds;
  status.start_time_seconds = process.start_time_seconds;
  status.threads = process.threads;
  status.leadership = leadership_of(parts);
  status.set = parts.plugins.state();
  // Two strings, and not the text of both: thousands of kinds are sorted every second.
  std::ranges::sort(parts.caches, {}, [](const CacheState& each) {
    return std::tie(each.resource.resource, each.resource.group);
  });
  status.caches = std::move(parts.caches);
  if (parts.quarantine != nullptr) {
    for (const QuarantinedPlugin& each : parts.quarantine->quarantined()) {
      status.quarantined.push_back(each.text());
    }
  }
  status.journal_bytes = parts.journal.bytes();
  status.journal_bytes_max = parts.journal.bytes_max();
  for (const auto& each : parts.checks.notes()) status.notes.push_back(each.text);
  return status;
}

void report_caches(const InformerFactory& informers, Metrics& metrics, Time now) {
  // Informers of one resource with different selectors share their series: the oldest counts.
  std::map<ResourceId, std::pair<Duration, Metrics::Stale>> worst;
  std::map<ResourceId, std::size_t> bytes;
  for (const CacheState& each : cache_states(informers)) {
    auto& [unconfirmed, stale] = worst[each.resource];
    bytes[each.resource] += each.bytes;
    unconfirmed = std::max(unconfirmed, unconfirmed_time(each.freshness, now));
    if (each.freshness.is_stale(now)) stale = Metrics::Stale::kYes;
  }
  for (const auto& [id, state] : worst) metrics.informer_freshness(id, state.first, state.second);
  for (const auto& [resource, sum] : bytes) metrics.informer_bytes(resource, sum);
}

std::vector<RecentWrite> recent_writes(const Journal& journal, const Clock& clock) {
  const WallClockReading reading(clock);
  std::vector<RecentWrite> all;
  for (const std::string& name : journal.controllers()) {
    const ControllerJournal* const one = journal.find(name);
    if (one == nullptr) continue;
    for (WorkRecord& each : one->recent(kWritesOfController)) {
      if (each.writes.empty()) continue;
      const WallTime when = reading.wall(each.began);
      all.push_back({when, name, std::move(each)});
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &RecentWrite::time);
  if (all.size() > kWritesShown) all.resize(kWritesShown);
  return all;
}

void add_status_routes(ObservabilityRoutes& routes, StatusBoard& board) {
  routes.add_route("/", [&board, policy = status_page_policy()](const HttpServerRequest&) {
    HttpServerResponse response;
    response.content_type = "text/html; charset=utf-8";
    response.headers = {{"Content-Security-Policy", policy},
                        {"Cache-Control", "no-store"},
                        {"Referrer-Policy", "no-referrer"},
                        {"X-Content-Type-Options", "nosniff"}};
    response.body = board.page();
    return response;
  });
  routes.add_route("/status.json", [&board](const HttpServerRequest&) {
    HttpServerResponse response = json_response(200, board.json());
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
  });
}

}  // namespace davit::host

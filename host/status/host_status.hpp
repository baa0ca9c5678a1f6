/// The state of a host at one moment, for the status page, `davit top` and programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cache/cache_report.hpp"
#include "host/crash/crash_journal.hpp"
#include "host/journal/work_record.hpp"
#include "host/swap/serving_plugins.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The lease, and who holds it.
struct LeadershipState {
  enum class Role { kNoElection, kLeader, kStandby };
  Role role = Role::kNoElection;
  std::string lease;   ///< "kube-system/davit"; empty without an election.
  std::string holder;  ///< The identity last seen; empty: none.
};

/// A swap, load or unload that has ended.
struct PastSwap {
  WallTime time{};
  std::string plugin;
  std::string outcome;  ///< As to_string(SwapOutcome).
  std::string text;
  std::uint64_t from = 0;  ///< Generations; 0: none.
  std::uint64_t to = 0;
  Duration pause{0};
};

/// One write of a controller, with the sync that sent it.
struct RecentWrite {
  WallTime time{};
  std::string controller;
  WorkRecord work;  ///< Its writes are those of this sync.
};

/// Plain data.
struct HostStatus {
  WallTime time{};
  Time now{};
  std::string version;
  std::uint64_t resident_bytes = 0;
  std::uint64_t allocated_bytes = 0;  ///< See ProcessStats.
  double cpu_seconds = 0;
  double start_time_seconds = 0;
  std::uint64_t threads = 0;
  LeadershipState leadership;
  SetState set;
  std::vector<CacheState> caches;
  std::vector<CrashRecord> crashes;      ///< Oldest first.
  std::vector<std::string> quarantined;  ///< A line for each plugin that is left out.
  std::vector<std::string> notes;
  std::uint64_t journal_bytes = 0;      ///< Memory of the journals of all controllers.
  std::uint64_t journal_bytes_max = 0;  ///< Their limit.
};

/// Rates of one controller, from two states.
struct ControllerRates {
  double syncs = 0;   ///< A second.
  double errors = 0;  ///< A second.
  double cpu = 0;     ///< Processors in use: 0.5 is half of one.
};

/// A status with what only several states together show.
struct StatusView {
  HostStatus status;
  double cpu = 0;  ///< Processors that the process uses.
  /// In the order of the controllers of status.set.
  std::vector<ControllerRates> rates;
  std::vector<PastSwap> swaps;      ///< Newest first.
  std::vector<RecentWrite> writes;  ///< Newest first.
  /// One value a second, oldest first, for charts: of all controllers together.
  struct History {
    std::vector<double> syncs;
    std::vector<double> errors;
    std::vector<double> waiting;
    std::vector<double> memory;
  } history;
};

/// The document of /status.json, of `davit ctl status -o json` (member `host`) and of `davit top`:
/// one object on one line. Members are only added to it.
[[nodiscard]] std::string status_json(const StatusView& view);

/// The page `/`: HTML that needs neither JavaScript nor another file.
[[nodiscard]] std::string status_page(const StatusView& view);
/// The Content-Security-Policy of the page: only its own style and script.
[[nodiscard]] std::string status_page_policy();

}  // namespace davit::host

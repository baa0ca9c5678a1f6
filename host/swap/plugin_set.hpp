/// The plugins that serve, each with its present build.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/run/swap_metrics.hpp"
#include "host/swap/generation.hpp"
#include "host/swap/probation.hpp"
#include "host/swap/retirement.hpp"
#include "host/swap/shadow.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// How long the steps of a swap may take; past it the old build serves on.
struct SwapLimits {
  Duration init = std::chrono::seconds(10);  ///< Copying, opening, InitFuncs.
  /// What it reads more is listed: 150,000 pods take a healthy server some 40 s.
  Duration refill = std::chrono::minutes(2);
  Duration fill = std::chrono::seconds(30);   ///< Its handlers see what the caches hold.
  Duration drain = std::chrono::seconds(30);  ///< Longer than a request to a healthy server takes.
  Duration state = std::chrono::seconds(5);   ///< Handlers end, and the state is handed over.
  Duration retire = std::chrono::seconds(10);
  /// Builds that could not leave memory before swaps are refused: a build is some megabytes, and
  /// one that leaves nothing behind does not count.
  std::size_t residents_max = 16;
  ProbationTerms probation{};     ///< Of a swap that brings none of its own.
  std::filesystem::path staging;  ///< Where private copies go; empty: see StagingDirectory.
};

struct SwapRequest {
  std::string plugin;
  std::filesystem::path file;  ///< Empty: where the present build came from.
  /// What the digest of this and each later build must be, or empty; nothing: as before.
  std::optional<std::string> sha256 = {};
  /// Whether the new build gets what the old one knows, or begins as after a restart.
  enum class Memory { kHandOver, kLeave };
  Memory memory = Memory::kHandOver;
  std::string digest = {};  ///< What the digest of this build must be, or empty.
  /// Given: swap() waits for the end of this probation. Else that of SwapLimits, which goes on
  /// afterwards.
  std::optional<ProbationTerms> probation{};
};

/// What PluginSet::load() is to load, and how.
struct LoadOrder {
  std::filesystem::path file;
  std::string sha256 = {};  ///< What the digest of each of its builds must be, or empty.
  DigestPin pin = {};       ///< Where `sha256` is empty: the same, once its name is known.
  /// Which of its controllers start; nothing: those that are on by default.
  std::optional<std::vector<std::string>> controllers = {};
};

struct ControllerState {
  std::string name;
  std::string state;  ///< "running", "standby", "paused", "filling" or "off".
  std::size_t waiting = 0;
};
struct PluginState {
  std::string name;
  std::filesystem::path file;
  BuildName build;
  Grade grade = Grade::kSwappable;
  std::vector<std::string> grade_reasons;
  std::vector<ControllerState> controllers;  ///< In the order of the declaration.
  std::optional<BuildName> shadow;           ///< That runs beside it.
  Duration probation{0};                     ///< That is left to the present build.
};
struct SetState {
  std::vector<PluginState> plugins;
  std::vector<Resident> residents;
  std::string busy;  ///< What is under way; empty: nothing.
};

/// What the world is told; called without a lock.
struct SetObservers {
  /// A controller came up, or another build of it.
  std::function<void(const std::string& controller)> on_up;
  std::function<void(const std::string& controller)> on_down;
  std::function<void(SwapPhase phase)> on_phase;
  /// Starts the informers that a controller has opened.
  std::function<Status()> start_informers;
  SwapMetrics* metrics = nullptr;  ///< Borrowed; null: none.
  /// A build failed its probation; `text` says which, why, and what serves now.
  std::function<void(const std::string& text)> on_rolled_back{};
};

/// Life:  add()* → start() → lead() … → stop().
///
/// All functions are thread-safe. What changes the set (swap, load, enable, …) blocks, one at a
/// time: a second one is refused at once. A controller of a set is called by name from outside; the
/// call never meets a build that has ended.
class PluginSet {
 public:
  /// References outlive the set; those of `factory`'s hosts too.
  PluginSet(Clock& clock, Log log, ControllerFactory factory, SetObservers observers,
            SwapLimits limits = {});
  ~PluginSet();
  PluginSet(const PluginSet&) = delete;
  PluginSet& operator=(const PluginSet&) = delete;

  /// A plugin as the host starts with it; nothing when it is there. `sha256` is what the digest of
  /// each of its builds must be, or empty.
  void add(std::shared_ptr<const LoadedPlugin> plugin, std::string sha256) EXCLUDES(mutex_);
  /// A controller of it that is to run, initialised and committed.
  void add(std::string_view plugin, std::unique_ptr<ControllerHost> controller) EXCLUDES(mutex_);
  /// Starts every controller; those that need no leadership sync.
  void start() EXCLUDES(mutex_);
  /// Leadership is won or not needed: all controllers sync, also those of later builds.
  /// With the time at which the lease was won, each begins when its caches are known to be as new.
  void lead(std::optional<Time> won = std::nullopt) EXCLUDES(mutex_);
  /// Leadership is gone.
  void lose() EXCLUDES(mutex_);
  /// See ControllerHost::report(); writes the gauges of the plugins, too.
  void report() EXCLUDES(mutex_);
  /// Ends all controllers. False when a call into one did not end: then the process must end
  /// without destroying this.
  bool stop(const Quiesce& wait) EXCLUDES(mutex_);
  /// Ends the controllers of plugins that were stopped and closes the plugins.
  void clear() EXCLUDES(mutex_);

  /// kNotFound for a controller that does not run.
  [[nodiscard]] Status health(std::string_view controller) EXCLUDES(mutex_);
  [[nodiscard]] bool has_debug_page(std::string_view controller) EXCLUDES(mutex_);
  [[nodiscard]] Result<std::string> debug_page(std::string_view controller, std::string_view path,
                                               std::string_view query) EXCLUDES(mutex_);
  [[nodiscard]] Status caches_filled() EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::string> controllers() const EXCLUDES(mutex_);
  [[nodiscard]] SetState state() EXCLUDES(mutex_);

  /// Puts another build of a plugin in the place of the one that serves.
  [[nodiscard]] SwapReport swap(const SwapRequest& request) EXCLUDES(mutex_);

  /// Runs another build of a plugin beside the one that serves: it sees the same and writes
  /// nothing, and its writes are answered as the server would. A change of the plugin ends it.
  [[nodiscard]] ShadowReport start_shadow(const SwapRequest& request) EXCLUDES(mutex_);
  /// What the shadow and the build that serves meant to write since then.
  [[nodiscard]] ShadowReport shadow(const std::string& plugin) EXCLUDES(mutex_);
  /// Swaps the plugin for the build that runs in its shadow, if its file is still the same.
  [[nodiscard]] SwapReport commit_shadow(const std::string& plugin) EXCLUDES(mutex_);
  [[nodiscard]] SwapReport drop_shadow(const std::string& plugin) EXCLUDES(mutex_);

  /// Waits until nothing is under way; false when the set stops.
  bool wait_idle() EXCLUDES(mutex_);

  /// Loads a plugin and starts controllers of it.
  [[nodiscard]] SwapReport load(const LoadOrder& order) EXCLUDES(mutex_);
  [[nodiscard]] SwapReport load(const std::filesystem::path& file) EXCLUDES(mutex_) {
    return load(LoadOrder{file});
  }
  /// Ends a plugin's controllers, whose keys are dropped, and closes it.
  [[nodiscard]] SwapReport unload(const std::string& plugin) EXCLUDES(mutex_);
  /// Starts a controller, by name or alias, of a plugin that is loaded.
  [[nodiscard]] SwapReport enable(const std::string& controller) EXCLUDES(mutex_);
  /// Ends a controller, by name or alias, whose keys are dropped; its plugin stays.
  [[nodiscard]] SwapReport disable(const std::string& controller) EXCLUDES(mutex_);

  /// Hands out no key of a controller, by name or alias, until resume(); running syncs go on.
  Status pause(std::string_view controller) EXCLUDES(mutex_);
  Status resume(std::string_view controller) EXCLUDES(mutex_);

 private:
  struct Probation;
  struct Slot {
    std::string name;
    std::filesystem::path file;
    std::string sha256;
    Generation now;
    std::vector<std::string> paused;  // By the operator.
    std::uint64_t generations = 1;
    std::unique_ptr<ShadowRun> shadow;     // Null: none.
    std::shared_ptr<Probation> probation;  // Of `now`; null: it has none.
  };
  /// A build that shows what it is worth. `end` is guarded by the set's mutex.
  struct Probation {
    ProbationTerms terms;
    Time since;
    BuildName build;
    std::shared_ptr<const KeptCopy> before;  // The build to go back to,
    std::filesystem::path before_file;       // where it came from,
    std::string before_version;
    enum class End { kNone, kPassed, kRolledBack, kFailed, kSuperseded } end = End::kNone;
    std::string text{};  // How it ended.
  };
  /// A swap under way.
  struct Swap;
  /// A controller's old and new build.
  struct StatePair {
    HostedController& from;
    HostedController& to;
  };
  class ExclusiveOperation;

  /// A call from outside: the controller does not end meanwhile.
  struct ControllerGuard {
    ControllerHost* host;
    Gate::Pass pass;
  };
  /// Nothing for a controller that does not run.
  [[nodiscard]] std::optional<ControllerGuard> guard_controller(std::string_view controller)
      EXCLUDES(mutex_);
  [[nodiscard]] Slot* find(std::string_view plugin) REQUIRES(mutex_);
  [[nodiscard]] Slot* slot_of(std::string_view controller) REQUIRES(mutex_);
  [[nodiscard]] PluginState describe(const Slot& slot) const REQUIRES(mutex_);
  [[nodiscard]] bool is_paused(const Slot& slot, std::string_view controller) const
      REQUIRES(mutex_);
  void begin(const Slot& slot, HostedController& controller) REQUIRES(mutex_);

  /// A controller that a loaded plugin declares.
  struct Declared {
    Slot* slot;
    std::string name;  ///< Its name, also when it was asked for by an alias.
  };
  /// Finds it by name or alias. kNotFound with the name that was probably meant.
  [[nodiscard]] Result<Declared> declaring(std::string_view controller) REQUIRES(mutex_);
  /// The same for a controller that runs; kNotFound also for one that is off.
  [[nodiscard]] Result<Declared> running(std::string_view controller) REQUIRES(mutex_);
  void report_up(const std::vector<std::string>& controllers) const;

  bool build_limited(BuildOrder order, Generation& out, SwapReport& report);
  bool open_informers(Generation& made, SwapReport& report);
  [[nodiscard]] SwapReport discard(Generation made, SwapReport report);
  bool end_controller(const std::string& name, SwapReport& report) EXCLUDES(mutex_);

  /// Lets the caches keep what the new build reads, beside what serves.
  bool refill(const Generation& made, SwapReport& report);
  /// The same for a build that replaces none: what is read already and kept too narrowly. Where
  /// that does not come in time, its controllers get informers of their own.
  void widen(const Generation& made, SwapReport& report);
  /// Opens what the new build reads and waits until its handlers have seen it.
  bool fill(Generation& made, SwapReport& report);
  void begin_shadow(const std::string& plugin, std::unique_ptr<ShadowRun> run, ShadowReport& report)
      EXCLUDES(mutex_);
  /// False when there was none.
  bool end_shadow(const std::string& plugin, std::string& resident) EXCLUDES(mutex_);

  void run_swap(Swap& swap) EXCLUDES(mutex_);
  bool prepare(Swap& swap) EXCLUDES(mutex_);
  bool build(Swap& swap) EXCLUDES(mutex_);
  bool drain(Swap& swap) EXCLUDES(mutex_);
  bool hand_state(Swap& swap) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<StatePair> state_pairs(Swap& swap) EXCLUDES(mutex_);
  bool judge_states(Swap& swap) EXCLUDES(mutex_);
  bool hand_over(Swap& swap) EXCLUDES(mutex_);
  void undo_drain(const Swap& swap) EXCLUDES(mutex_);
  void finish(Swap& swap) EXCLUDES(mutex_);

  /// The terms of the probation that the swap begins; nothing: it begins none.
  [[nodiscard]] std::optional<ProbationTerms> probation_of(const Swap& swap) const;
  /// Starts the thread that judges probations unless it runs; false when the system has none.
  [[nodiscard]] bool start_prober() REQUIRES(mutex_);
  void put_on_probation(Swap& swap) REQUIRES(mutex_);
  void end_probation(Slot& slot, Probation::End end, std::string text) REQUIRES(mutex_);
  void await_probation(Swap& swap) EXCLUDES(mutex_);
  void watch_probations(const std::stop_token& stop) EXCLUDES(mutex_);
  /// The first plugin whose build failed, with the reason; ends those that passed.
  struct Failed {
    std::string plugin;
    std::shared_ptr<Probation> probation;
    std::string why;
  };
  [[nodiscard]] std::optional<Failed> judge_probations() REQUIRES(mutex_);
  void roll_back(const Failed& failed) EXCLUDES(mutex_);

  void enter(SwapPhase phase) const;
  void publish_report(const SwapReport& report) const;
  void log_report(const SwapReport& report) const;

  // Fixed after construction.
  Clock& clock_;
  const Log log_;
  const ControllerFactory factory_;
  const SetObservers observers_;
  const SwapLimits limits_;

  mutable Mutex mutex_;
  CondVar idle_;                                                 // busy_ became empty.
  std::vector<std::unique_ptr<Slot>> slots_ GUARDED_BY(mutex_);  // Entries stay where they are.
  bool leading_ GUARDED_BY(mutex_) = false;
  std::optional<Time> won_ GUARDED_BY(mutex_);  // The lease, if there is one.
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::stop_source stop_;  // Requested when stopping_ is set: long waits end.
  std::string busy_ GUARDED_BY(mutex_);
  std::vector<Resident> residents_ GUARDED_BY(mutex_);  // A copy, for state().

  Retirement retirement_;  // Changed by the exclusive operation only.

  CondVar probation_changed_;  // One began or ended, or the set stops.
  std::jthread prober_;        // Last: it uses the others. Started by the first probation's swap.
};

}  // namespace davit::host

/// The plugins that serve, each in a slot, and the one lock over all of them.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/swap/generation.hpp"
#include "host/swap/probation.hpp"
#include "host/swap/retirement.hpp"
#include "host/swap/shadow.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// One plugin. Guarded by the registry's mutex.
struct PluginSlot {
  std::string name;
  std::filesystem::path file;
  std::string sha256;                      // The required digest of each build, or empty.
  Generation now;                          // The build that serves.
  std::vector<std::string> paused{};       // Controllers that the operator paused.
  std::uint64_t generations = 1;           // The number of the latest build.
  std::unique_ptr<ShadowRun> shadow{};     // Null: none.
  std::shared_ptr<Probation> probation{};  // The probation of `now`, or null.

  [[nodiscard]] std::vector<std::string> controllers() const;
  [[nodiscard]] bool is_paused(std::string_view controller) const;
};

/// The rest of the begin of a controller, or of its lead. The controller is not retired as long as
/// this exists.
struct Beginning {
  ControllerHost* host;
  std::optional<Gate::Pass> stays;  ///< Nothing: the controller ends already.
  std::optional<Time> as_of;  ///< Its caches must be known to be as new; nothing: as they are.
  bool leads;

  /// Lets it sync if this host leads. Logs and notifies listeners of informers, so it is called
  /// without the registry's lock.
  void carry_out() const;
};

/// The slots, and the facts that decide which of their controllers sync. Slots keep their address;
/// only an ExclusiveOperation adds one, removes one or changes its build.
struct PluginRegistry {
  Mutex mutex;
  CondVar idle;  // `busy` became empty, or `stopping` was set.
  std::vector<std::unique_ptr<PluginSlot>> slots GUARDED_BY(mutex);
  // When the host started, if its controllers have to know the cluster as of their beginning.
  std::optional<Time> started GUARDED_BY(mutex);
  bool leading GUARDED_BY(mutex) = false;
  std::optional<Time> won GUARDED_BY(mutex);  // When the lease was won, if there is one.
  // The same for the lease of a leader migration, which is sought while this host leads.
  bool leading_migrated GUARDED_BY(mutex) = false;
  std::optional<Time> won_migrated GUARDED_BY(mutex);
  bool stopping GUARDED_BY(mutex) = false;
  std::stop_source stop;               // Requested when `stopping` is set: long waits end.
  std::string busy GUARDED_BY(mutex);  // The operation in progress; empty: none.
  std::vector<Resident> residents GUARDED_BY(mutex);  // As of the last operation.

  /// The slot of a plugin, or null.
  [[nodiscard]] PluginSlot* find(std::string_view plugin) REQUIRES(mutex);
  /// The slot in which a controller runs, or null.
  [[nodiscard]] PluginSlot* slot_of(std::string_view controller) REQUIRES(mutex);

  /// A controller that a loaded plugin declares.
  struct Declared {
    PluginSlot* slot;
    std::string name;  ///< Its name, also if it was addressed by an alias.
  };
  /// Finds it by name or alias. kNotFound with the name that was probably meant.
  [[nodiscard]] Result<Declared> declaring(std::string_view controller) REQUIRES(mutex);
  /// The same for a controller that runs; kNotFound also for one that is off.
  [[nodiscard]] Result<Declared> running(std::string_view controller) REQUIRES(mutex);

  /// Whether this host has the lease of a controller.
  [[nodiscard]] bool leads(ControllerHost& host) const REQUIRES(mutex) {
    if (host.abi().options.lease == ControllerLease::kMain) return leading;
    return host.abi().options.lease == ControllerLease::kMigration && leading_migrated;
  }
  /// As of when a controller that begins at `now` has to know the cluster; nothing: its caches
  /// count as they are.
  [[nodiscard]] std::optional<Time> beginning(ControllerHost& host, Time now) const REQUIRES(mutex);
  /// Lets a controller of a slot sync once its caches are known to be as new as `as_of`, unless
  /// leadership or the operator forbids it.
  [[nodiscard]] Beginning begin(const PluginSlot& slot, HostedController& controller,
                                std::optional<Time> as_of) REQUIRES(mutex);
  /// This host has won or needs no lease: sets the fact, and returns the controllers under it.
  [[nodiscard]] std::vector<Beginning> lead(std::optional<Time> since, ControllerLease lease)
      REQUIRES(mutex);
  /// Resumes the controllers of a slot that the operator has not paused.
  void resume(const PluginSlot& slot) REQUIRES(mutex);
};

/// The right to change the registry's slots and builds: one at a time. The destructor gives it
/// back.
class ExclusiveOperation {
 public:
  /// `what` completes "... is under way". The references must outlive this.
  ExclusiveOperation(PluginRegistry& registry, const Retirement& retirement, std::string what);
  ExclusiveOperation(const ExclusiveOperation&) = delete;
  ExclusiveOperation& operator=(const ExclusiveOperation&) = delete;
  ~ExclusiveOperation();

  /// Whether this has the right; if not, `report` says why.
  template <typename Report>
  [[nodiscard]] bool held(Report& report) const {
    return refused_ == SwapOutcome::kDone || report.fail(refused_, why_);
  }

 private:
  PluginRegistry& registry_;
  const Retirement& retirement_;
  SwapOutcome refused_ = SwapOutcome::kDone;  // kDone: held.
  std::string why_;
};

}  // namespace davit::host

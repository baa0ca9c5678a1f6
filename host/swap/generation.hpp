/// One build of a plugin in this process, with its controllers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/loading/loader.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/gate.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// Runs `work` once, on a separate thread that starts with the construction. A caller that stops
/// waiting must keep this, because the destructor waits for the end. If the system has no thread,
/// the work does not run.
class LimitedCall {
 public:
  LimitedCall(Clock& clock, std::function<void()> work) : clock_(clock), work_(std::move(work)) {
    (void)start_thread(thread_, "swap", [this] { run(); });
  }
  LimitedCall(const LimitedCall&) = delete;
  LimitedCall& operator=(const LimitedCall&) = delete;

  /// Whether there was a thread for it.
  [[nodiscard]] bool started() const { return thread_.joinable(); }
  /// Whether the work has ended or never began; waits for it until `deadline`.
  [[nodiscard]] bool wait(Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!ended_ && started()) {
      if (clock_.now() >= deadline) return false;
      clock_.wait_until(done_, mutex_, deadline);
    }
    return true;
  }

 private:
  void run() EXCLUDES(mutex_) {
    work_();
    MutexLock lock(mutex_);
    ended_ = true;
    done_.notify_all();
  }

  Clock& clock_;
  const std::function<void()> work_;
  Mutex mutex_;
  CondVar done_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it uses the others.
};

/// A controller, and the door for calls from outside its own threads (health, debug page).
struct HostedController {
  explicit HostedController(std::unique_ptr<ControllerHost> made) : host(std::move(made)) {}

  const std::unique_ptr<ControllerHost> host;
  /// As of when it knows the cluster; nothing: its caches count as they are. Guarded by the
  /// registry's mutex.
  std::optional<Time> began{};
  Gate probes;
  /// Hands it the state of the build before; its thread may be in either build as long as it holds
  /// their `probes`.
  std::unique_ptr<LimitedCall> state_call;
  /// Gives it another configuration; its thread holds a pass of `probes`.
  std::unique_ptr<LimitedCall> config_call;
};

struct Generation {
  std::uint64_t number = 1;
  std::shared_ptr<const LoadedPlugin> plugin;
  std::vector<std::unique_ptr<HostedController>> controllers;

  [[nodiscard]] HostedController* find(std::string_view controller) const;
  /// Its name in reports. Requires `plugin`.
  [[nodiscard]] BuildName build() const;
};

/// Makes the host of a controller, with the settings that the operator gave for it. Any thread.
using ControllerFactory = std::function<std::unique_ptr<ControllerHost>(
    const LoadedPlugin& plugin, const DeclaredController& declared, std::uint64_t generation)>;

/// The build to open and its controllers.
struct BuildOrder {
  std::string plugin;  ///< The name that the file must declare; empty: any.
  std::filesystem::path file;
  LoadTerms terms;  ///< Those that `file` has to meet.
  std::filesystem::path
      staging;  ///< The directory of the private copy; empty: see StagingDirectory.
  std::uint64_t generation = 1;
  std::shared_ptr<const LoadedPlugin> loaded;  ///< Instead of `file`, when it is open already.
  std::shared_ptr<const KeptCopy> copy;        ///< Instead of what is at `file`.
  /// The controllers to create: those named here, which must all be there, or those that are on by
  /// default.
  enum class Select { kNamed, kOnByDefault };
  Select select = Select::kNamed;
  std::vector<std::string> controllers;
  enum class Role { kServing, kShadow };
  Role role = Role::kServing;  ///< kShadow: nothing of it reaches the cluster.
};

/// Stages, checks and opens a build and calls its InitFuncs, on a separate thread, because plugin
/// code may hang.
class GenerationBuilder {
 public:
  /// The references outlive this.
  GenerationBuilder(BuildOrder order, const ControllerFactory& factory, Clock& clock);
  GenerationBuilder(const GenerationBuilder&) = delete;
  GenerationBuilder& operator=(const GenerationBuilder&) = delete;

  /// Whether it has ended; waits until `deadline`.
  [[nodiscard]] bool wait(Time deadline) { return call_->wait(deadline); }

  struct Built {
    SwapOutcome outcome = SwapOutcome::kDone;
    std::string text;         ///< Why it is not kDone.
    bool is_skipped = false;  ///< An InitFunc returned SKIPPED.
    Generation generation;    ///< After a failure: the part that was made, to be discarded.
  };
  /// Once, after wait() returned true.
  [[nodiscard]] Built take() { return std::move(built_); }

 private:
  void build();
  void fail(SwapOutcome outcome, std::string text);
  [[nodiscard]] bool open();
  [[nodiscard]] Result<std::unique_ptr<LoadedPlugin>> load(StagingDirectory& staging) const;
  [[nodiscard]] bool create(const DeclaredController& declared);

  const BuildOrder order_;
  const ControllerFactory& factory_;
  Built built_;  // The thread's until it has ended.
  std::unique_ptr<LimitedCall> call_;
};

}  // namespace davit::host

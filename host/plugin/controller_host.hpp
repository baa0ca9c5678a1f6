/// One controller of a plugin, hosted.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "host/cache/delta_queue.hpp"
#include "host/plugin/cloud_side.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/controller_hand_over.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/plugin_controller.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Life: init() → commit() → start() → lead() → stop() → destructor (calls destroy()). After any
/// other result than kStarted, only the destructor.
///
/// During init() what the controller opens is only noted; commit() makes it real, so that a
/// controller that returns SKIPPED or FAILED leaves no informer behind.
///
/// Calls from the plugin arrive in abi(), calls into it leave through plugin(); runner() decides
/// when, and hand_over() is for two builds of one controller.
class ControllerHost {
 public:
  ControllerHost(ControllerHostOptions options, const HostServices& services);
  ControllerHost(const ControllerHost&) = delete;
  ControllerHost& operator=(const ControllerHost&) = delete;
  /// stop() must have returned true before, if start() was called.
  ~ControllerHost();

  /// Calls the plugin's InitFunc. Once.
  InitResult init(const InitFunction& function);
  /// Opens the informers that init() asked for; see ControllerInformers::commit().
  Status commit(Reach reach = Reach::kAny);
  /// Delivers changes to the handlers.
  void start() { runner_.start(); }
  /// Leadership is won or not needed: syncs. With `won`, once the caches and the handlers have seen
  /// all that the server had at that time: what another leader has done until then. Dynamic
  /// informers do not hold back syncs, but are not synced before. After start().
  void lead(std::optional<Time> won = std::nullopt);

  /// Starts no sync until runner().resume(), which may always be called, and waits for running
  /// syncs. Cancels their pauses and their unsent requests; sent requests finish. False if a sync
  /// did not end by `deadline`.
  bool drain(Time deadline);
  /// Hands out no key until runner().resume(); running syncs finish.
  void pause() { (void)runner_.pause({.cancel_at = Time::max(), .give_up_at = Time::min()}); }

  /// Returns whether every running call ended. If not, the process must end without destroying
  /// this.
  bool stop(const Quiesce& wait,
            ControllerRunner::Successor successor = ControllerRunner::Successor::kNone) {
    const bool is_idle = cloud_.end(wait);
    return runner_.stop(wait, successor) && is_idle;
  }

  /// Gives the controller another configuration (JSON text of an object; empty: none) while it
  /// runs; its refusal. kUnsupported: another instance of the build has to be made for it, see
  /// abi.h. Not beside init(), the destructor, hand_over() or itself.
  [[nodiscard]] Status configure(const std::string& config);

  /// The runner's and the controller's own opinion.
  [[nodiscard]] Status health() const;

  [[nodiscard]] const std::string& name() const { return options_.declared.name; }
  [[nodiscard]] const DeclaredController& declared() const { return options_.declared; }
  [[nodiscard]] ControllerAbi& abi() { return abi_; }
  [[nodiscard]] PluginController& plugin() { return plugin_; }
  [[nodiscard]] ControllerRunner& runner() { return runner_; }
  [[nodiscard]] ControllerHandOver& hand_over() { return hand_over_; }

 private:
  class DeltaQueueSource final : public DeltaSource {
   public:
    explicit DeltaQueueSource(DeltaQueue& queue) : queue_(queue) {}

    bool wait(std::stop_token stop) override { return queue_.wait(stop); }
    void deliver() override { queue_.step(); }
    [[nodiscard]] bool ready() const override { return queue_.initial_delivered(); }
    [[nodiscard]] std::size_t pending() const override { return queue_.size(); }

   private:
    DeltaQueue& queue_;
  };

  ControllerHostOptions options_;  // Fixed once the constructor has applied the configuration.
  const Status configured_;        // Whether the note found its values in the configuration.
  const HostServices services_;
  const Logger log_;
  DeltaQueue delta_queue_;
  DeltaQueueSource delta_source_;
  ControllerRunner runner_;
  ControllerAbi abi_;  // Its queues and timers tell the runner.
  PluginController plugin_;
  ControllerHandOver hand_over_;
  CloudSide cloud_;
};

}  // namespace davit::host

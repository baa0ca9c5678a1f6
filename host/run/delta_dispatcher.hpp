/// The thread that delivers the cluster's changes to one controller.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "host/run/breadcrumb.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Changes that wait for the handlers of a controller. Called on the dispatcher's thread, except
/// ready().
class DeltaSource {
 public:
  DeltaSource() = default;
  DeltaSource(const DeltaSource&) = delete;
  DeltaSource& operator=(const DeltaSource&) = delete;
  virtual ~DeltaSource() = default;

  /// Waits for a change. Returns also, with false when there is none, when `stop` is requested or
  /// ready() may have become true.
  virtual bool wait(std::stop_token stop) = 0;
  /// Calls the controller's handler with the change that wait() returned for.
  virtual void deliver() = 0;
  /// Every cache that the controller asked for is filled and the handlers have seen each object
  /// once. Once true it stays true. Thread-safe, does not block.
  [[nodiscard]] virtual bool ready() const = 0;
  /// Changes that wait for a handler. Thread-safe.
  [[nodiscard]] virtual std::size_t pending() const { return 0; }
};

/// Calls the handlers one at a time. Thread-safe; nothing of the controller is called under a lock.
class DeltaDispatcher {
 public:
  /// `on_ready` is called by step(), once, when the source is ready. `crumb` names
  /// the calls; its views and the references must outlive this.
  DeltaDispatcher(DeltaSource& source, const Breadcrumb& crumb, Clock& clock,
                  std::function<void()> on_ready);

  /// Starts the thread, unless it was started. If the system gives no thread, a later call tries
  /// again.
  void start() EXCLUDES(mutex_);
  /// Instead of the thread: waits for a change and calls its handler. False when there was none.
  /// From one thread.
  bool step(const std::stop_token& stop) EXCLUDES(mutex_);
  void request_stop() EXCLUDES(mutex_);
  /// Waits, after request_stop(), until the last handler has returned; false when `deadline` comes
  /// first.
  [[nodiscard]] bool wait_stopped(Time deadline) EXCLUDES(mutex_);

  /// CPU time of its thread.
  [[nodiscard]] Duration cpu_time() const EXCLUDES(mutex_);

  [[nodiscard]] bool ready() const { return source_.ready(); }
  [[nodiscard]] std::size_t pending() const { return source_.pending(); }
  /// For how long the handler that runs now has been running; nothing when that is below `limit`.
  [[nodiscard]] std::optional<Duration> overdue(Duration limit) const EXCLUDES(mutex_);
  /// The same, but only once for each call of a handler.
  [[nodiscard]] std::optional<Duration> newly_overdue(Duration limit) EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::optional<Duration> running_for(Duration limit) const REQUIRES(mutex_);
  void dispatch(const std::stop_token& stop) EXCLUDES(mutex_);
  void deliver() EXCLUDES(mutex_);

  // Fixed after construction.
  DeltaSource& source_;
  const Breadcrumb crumb_;
  Clock& clock_;
  const std::function<void()> on_ready_;

  mutable Mutex mutex_;
  CondVar stopped_;
  bool running_ GUARDED_BY(mutex_) = false;
  std::optional<Time> handling_since_ GUARDED_BY(mutex_);  // A handler runs.
  bool reported_ GUARDED_BY(mutex_) = false;               // newly_overdue() has reported it.

  bool filling_ = true;  // step() has not seen the source ready.

  std::jthread thread_;  // Started and stopped under mutex_; the destructor waits for it.
};

}  // namespace davit::host

/// The dependencies of a controller's runner, under the test's control.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "host/run/controller_runner.hpp"
#include "lib/base/mutex.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_runner_metrics.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {

/// A delta source that a test fills by hand.
class FakeDeltaSource final : public DeltaSource {
 public:
  bool wait(std::stop_token stop) override {
    MutexLock lock(mutex_);
    const std::stop_callback wake(stop, [this] { changed_.notify_all(); });
    while (!stop.stop_requested() && !told_ && !handler_) changed_.wait(mutex_);
    told_ = false;
    return handler_ != nullptr;
  }
  void deliver() override {
    std::function<void()> handler;
    {
      MutexLock lock(mutex_);
      handler.swap(handler_);
    }
    handler();
  }
  [[nodiscard]] bool ready() const override {
    MutexLock lock(mutex_);
    return ready_;
  }

  /// A change comes, and this is what the controller does with it.
  void change(std::function<void()> handler) {
    MutexLock lock(mutex_);
    handler_ = std::move(handler);
    changed_.notify_all();
  }

  void fill() {
    MutexLock lock(mutex_);
    ready_ = true;
    told_ = true;
    changed_.notify_all();
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool ready_ GUARDED_BY(mutex_) = false;
  bool told_ GUARDED_BY(mutex_) = false;
  std::function<void()> handler_ GUARDED_BY(mutex_);
};

class ControllerRunnerTest : public testing::Test {
 protected:
  static RunnerOptions options() {
    RunnerOptions made;
    made.controller = "web-controller";
    made.plugin = "web";
    return made;
  }

  ControllerQueueOptions queue(SyncFunction sync, std::uint32_t workers = 1) {
    ControllerQueueOptions made;
    made.name = "web";
    made.workers = workers;
    made.sync = std::move(sync);
    return made;
  }

  /// A sync that notes its key and says `code`.
  SyncFunction noting(std::int32_t code = DAVIT_OK) {
    return [this, code](std::string_view key, const std::stop_token&) {
      synced_.push(std::string(key));
      return SyncOutcome{code, {}, ""};
    };
  }

  [[nodiscard]] Quiesce at_once() const { return {clock_.now(), clock_.now()}; }
  [[nodiscard]] Quiesce patiently() const { return {Time::max(), Time::max()}; }

  test::FakeClock clock_;
  test::RecordingLogSink sink_{2};
  test::FakeRunnerMetrics metrics_;
  FakeDeltaSource deltas_;
  test::Collector<std::string> synced_;
};

}  // namespace davit::host

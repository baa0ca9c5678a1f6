/// Foreign code that a probe or a page needs, aside from the thread that serves them.
#pragma once

#include <algorithm>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/clock.hpp"
#include "host/base/mutex.hpp"
#include "host/base/start_thread.hpp"

namespace davit::host {

/// Makes calls, one at a time, on a thread of its own, which the first one starts. Whoever asks
/// waits for `limit` at most; while a call hangs, further ones fail at once. Thread-safe. The
/// destructor waits for the call that runs.
class AsideCall {
 public:
  using Call = std::function<Result<std::string>()>;

  AsideCall(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}
  AsideCall(const AsideCall&) = delete;
  AsideCall& operator=(const AsideCall&) = delete;
  ~AsideCall() {
    MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }

  /// What `call` returned; kUnavailable when it, or the one before it, takes too long.
  [[nodiscard]] Result<std::string> run(Call call) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (running_) return late();
    if (!thread_.joinable() && !start_thread(thread_, "aside", [this] { work(); })) {
      return Status(Code::kUnavailable, "the system has no thread for it");
    }
    call_ = std::move(call);
    running_ = true;
    began_ = clock_.now();
    result_.reset();
    changed_.notify_all();
    const Time deadline = began_ + limit_;
    while (running_) {
      if (clock_.now() >= deadline) return late();
      clock_.wait_until(answered_, mutex_, deadline);
    }
    return *std::exchange(result_, std::nullopt);
  }

  /// Whether no call runs; waits for that until `deadline`.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (running_) {
      if (clock_.now() >= deadline) return false;
      clock_.wait_until(answered_, mutex_, deadline);
    }
    return true;
  }

 private:
  [[nodiscard]] Status late() const REQUIRES(mutex_) {
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began_);
    return {Code::kUnavailable,
            "the plugin has not answered for " + std::to_string(waited.count()) + " s"};
  }

  void work() EXCLUDES(mutex_) {
    for (;;) {
      Call call;
      {
        MutexLock lock(mutex_);
        while (!ending_ && !call_) changed_.wait(mutex_);
        if (ending_) return;
        call = std::exchange(call_, nullptr);
      }
      Result<std::string> result = call();
      MutexLock lock(mutex_);
      result_ = std::move(result);
      running_ = false;
      answered_.notify_all();
    }
  }

  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  CondVar changed_;   // For the thread.
  CondVar answered_;  // For whoever waits.
  Call call_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  Time began_ GUARDED_BY(mutex_){};
  std::optional<Result<std::string>> result_ GUARDED_BY(mutex_);
  std::jthread thread_;  // Last: it uses the others.
};

/// Makes AsideCalls and keeps those whose call may hang: letting one go would wait for its end.
/// Thread-safe.
class AsideCalls {
 public:
  AsideCalls(Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}

  /// A new one, on which nothing hangs yet.
  [[nodiscard]] std::shared_ptr<AsideCall> make() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    // What others hold may begin a call at any time.
    std::erase_if(made_, [](const std::shared_ptr<AsideCall>& each) {
      return each.use_count() == 1 && each->wait_idle(Time::min());
    });
    made_.push_back(std::make_shared<AsideCall>(clock_, limit_));
    return made_.back();
  }

  /// Whether no call runs; waits for that until `deadline`. False: the process must end without
  /// destroying this.
  [[nodiscard]] bool wait_idle(Time deadline) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::all_of(made_.begin(), made_.end(),
                       [deadline](const auto& each) { return each->wait_idle(deadline); });
  }

 private:
  Clock& clock_;
  const Duration limit_;
  Mutex mutex_;
  std::vector<std::shared_ptr<AsideCall>> made_ GUARDED_BY(mutex_);
};

}  // namespace davit::host

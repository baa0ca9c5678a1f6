/// The shared parts of tests of tracing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "host/trace/tracer.hpp"
#include "lib/base/mutex.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {

/// Thread-safe.
class RecordedTraceMetrics final : public TraceMetrics {
 public:
  void spans_exported(std::size_t count) override {
    const MutexLock lock(mutex_);
    exported_ += count;
  }
  void spans_dropped(std::string_view reason, std::size_t count) override {
    const MutexLock lock(mutex_);
    dropped_[std::string(reason)] += count;
  }
  [[nodiscard]] std::size_t exported() const {
    const MutexLock lock(mutex_);
    return exported_;
  }
  /// The key is the reason.
  [[nodiscard]] std::map<std::string, std::size_t> dropped() const {
    const MutexLock lock(mutex_);
    return dropped_;
  }

 private:
  mutable Mutex mutex_;
  std::size_t exported_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::size_t> dropped_ GUARDED_BY(mutex_);
};

/// One of a second.
inline Span span_of(SpanContext context, std::string name = "work") {
  Span span;
  span.context = std::move(context);
  span.name = std::move(name);
  span.began = test::FakeClock::kWallStart;
  span.ended = span.began + std::chrono::seconds(1);
  return span;
}

}  // namespace davit::host

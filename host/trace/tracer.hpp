/// Traces: their ids, which of them are sampled, and the spans that wait for the exporter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// The name of a trace's id in log lines: that of OpenTelemetry, which lets tools join both.
inline constexpr std::string_view kTraceIdField = "trace_id";

/// The identity of a span (W3C Trace Context). The ids are lower-case hexadecimal digits.
struct SpanContext {
  std::string trace_id;  ///< 32 digits.
  std::string span_id;   ///< 16 digits.
  enum class Sampled { kNo, kYes } sampled = Sampled::kNo;

  [[nodiscard]] bool is_sampled() const { return sampled == Sampled::kYes; }
  /// The value of the header of that name.
  [[nodiscard]] std::string traceparent() const {
    return "00-" + trace_id + "-" + span_id + (is_sampled() ? "-01" : "-00");
  }
};

/// A span that has ended.
struct Span {
  enum class Kind { kInternal, kClient };
  using Attribute = std::pair<std::string, std::variant<std::string, std::int64_t>>;

  SpanContext context;
  std::string parent_id;  ///< Empty: the root of its trace.
  std::string name;       ///< One of few: without keys and names of objects.
  Kind kind = Kind::kInternal;
  WallTime began;
  WallTime ended;
  std::vector<Attribute> attributes;
  enum class Outcome { kUnset, kError } outcome = Outcome::kUnset;
  std::string error;  ///< For people.
};

/// davit_tracing_spans_*. Thread-safe, must not block.
class TraceMetrics {
 public:
  TraceMetrics() = default;
  TraceMetrics(const TraceMetrics&) = delete;
  TraceMetrics& operator=(const TraceMetrics&) = delete;
  virtual ~TraceMetrics() = default;

  virtual void spans_exported(std::size_t count) = 0;
  /// `reason`: "queue_full", "export_failed", "rejected" (by the receiver) or "stopped".
  virtual void spans_dropped(std::string_view reason, std::size_t count) = 0;
};

struct TracerOptions {
  std::uint32_t sampled_per_million = 1'000'000;
  /// Spans that wait for the exporter; further ones are dropped. A span has about 1 KiB.
  std::size_t spans_max = 2048;
};

/// Makes trace contexts, and keeps ended spans for the exporter. Thread-safe; only await() blocks.
/// The references outlive it.
class Tracer {
 public:
  Tracer(Clock& clock, Random& random, TraceMetrics& metrics, TracerOptions options)
      : clock_(clock), random_(random), metrics_(metrics), options_(options) {}

  /// The root span of a new trace. Whether it is sampled depends on its id alone, as with
  /// OpenTelemetry's TraceIdRatioBased.
  [[nodiscard]] SpanContext begin();
  /// A new span of the same trace.
  [[nodiscard]] SpanContext child(const SpanContext& parent);
  /// Keeps a sampled span; counts it as dropped if there is no room.
  void record(Span span) EXCLUDES(mutex_);

  /// Waits until `enough` spans are there, `until` comes or `stop` is requested.
  void await(std::size_t enough, Time until, const std::stop_token& stop) EXCLUDES(mutex_);
  /// The oldest spans, `most` at most.
  [[nodiscard]] std::vector<Span> take(std::size_t most) EXCLUDES(mutex_);

  [[nodiscard]] Clock& clock() const { return clock_; }

 private:
  /// A random number for an id, which may not consist of zeros.
  [[nodiscard]] std::uint64_t nonzero();

  Clock& clock_;
  Random& random_;
  TraceMetrics& metrics_;
  const TracerOptions options_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Span> spans_ GUARDED_BY(mutex_);
  std::size_t enough_ GUARDED_BY(mutex_) = 0;  // For await(); 0: it does not run.
};

}  // namespace davit::host

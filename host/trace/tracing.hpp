/// Tracing: a Tracer and the export of its spans by OTLP/HTTP, in JSON (docs/TRACING.md).
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/config/tracing_config.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/trace/otlp_json.hpp"
#include "host/trace/tracer.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// The world of an exporter; the references outlive it.
struct TracingSeams {
  Clock& clock;
  Random& random;
  TraceMetrics& metrics;
  Logger log;
  OutboundConnector connect = {};  ///< Empty: over sockets.
  Threads threads = Threads::kOwn;
};

/// Sends batches of spans on a separate thread, so that a receiver that hangs or refuses delays
/// nothing else. A failed export is repeated within its time limit; then its spans are dropped.
class Tracing {
 public:
  /// For a configuration with an endpoint. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<Tracing>> open(const TracingConfig& config,
                                                             const TracingSeams& seams);
  /// See open().
  Tracing(const TracingConfig& config, const TracingSeams& seams, OutboundUrl url);
  /// As stop() at once.
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  [[nodiscard]] Tracer& tracer() { return tracer_; }

  /// Sends what waits, until `deadline`; counts the rest as dropped. Spans that come later are not
  /// sent. Once.
  void stop(Time deadline) EXCLUDES(mutex_);

  /// Waits for spans and sends a batch of them. With Threads::kNone only.
  void step() { export_batch(stop_.get_token()); }

 private:
  class NoOutboundMetrics final : public OutboundMetrics {
   public:
    void outbound_request(std::string_view, std::string_view, std::string_view, Duration) override {
    }
  };

  void run();
  /// Returns how many spans there were. `stop` ends the waiting for them.
  std::size_t export_batch(const std::stop_token& stop);
  void send(const std::vector<Span>& spans);
  void note_failure(const std::string& why, std::size_t spans);

  // Fixed after construction.
  const TracingConfig config_;
  const OutboundUrl url_;
  Clock& clock_;
  TraceMetrics& metrics_;
  const Logger log_;
  NoOutboundMetrics no_metrics_;
  Tracer tracer_;
  OutboundClient client_;

  // For the thread only.
  bool failing_ = false;
  Time warn_at_{};  // The next line about a failure.

  std::stop_source stop_;   // No further waiting for spans.
  std::stop_source abort_;  // No further waiting for the receiver.
  Mutex mutex_;
  CondVar ended_;
  bool has_ended_ GUARDED_BY(mutex_) = true;
  std::jthread thread_;
};

}  // namespace davit::host

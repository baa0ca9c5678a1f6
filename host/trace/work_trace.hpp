/// The trace of one sync or timer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/api/api_request.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/trace/tracer.hpp"

namespace davit::host {

/// Begins with the work; end() records its span. The requests of the work are spans below it. Used
/// by the thread of the work.
class WorkTrace {
 public:
  /// The work, for the attributes of its span. The views outlive the trace.
  struct Work {
    std::string_view kind;  ///< "sync" or "timer".
    std::string_view controller;
    std::string_view plugin;
    std::string_view build;
    std::uint64_t generation = 0;
    std::string_view queue;  ///< Its name; may be empty.
    std::string_view key;    ///< Empty for a timer.
    std::uint32_t failures = 0;
  };

  /// `tracer` outlives this.
  WorkTrace(Tracer& tracer, const Work& work);

  [[nodiscard]] const SpanContext& context() const { return context_; }

  /// The header for a request that begins now.
  [[nodiscard]] std::string traceparent() { return tracer_.child(context_).traceparent(); }
  /// Records the span of a request that was sent with a header of traceparent().
  void ended(const ApiRequest& request, const ApiResponse& response);
  void ended(const OutboundRequest& request, const OutboundResponse& response,
             std::string_view traceparent);

  /// The work has ended with `result`, the name of a code; `error` is for people, and may be empty.
  void end(std::string_view result, Span::Outcome outcome, std::string_view error);

 private:
  [[nodiscard]] WallTime wall(Time time) const;
  /// The span of a request, without its attributes.
  [[nodiscard]] Span request_span(std::string_view traceparent, Time began, Time ended,
                                  const Status& status) const;

  Tracer& tracer_;
  const Work work_;
  const SpanContext context_;
  const Time began_;
  const WallTime began_wall_;
};

}  // namespace davit::host

#include "host/trace/work_trace.hpp"

#include <utility>

#include "host/api/request_builder.hpp"

namespace davit::host {
namespace {

/// The place of the span's id in a traceparent: "00-<32 digits>-<16 digits>-01".
constexpr std::size_t kSpanIdAt = 36;
constexpr std::size_t kSpanIdDigits = 16;

void add(Span& span, const char* key, std::string_view value) {
  if (!value.empty()) span.attributes.emplace_back(key, std::string(value));
}
void add(Span& span, const char* key, std::int64_t value) {
  span.attributes.emplace_back(key, value);
}

/// The names are those of OpenTelemetry's conventions for clients of HTTP.
void add_http(Span& span, std::string_view method, int http_status, int attempts) {
  add(span, "http.request.method", method);
  if (http_status != 0) add(span, "http.response.status_code", http_status);
  if (attempts > 1) add(span, "http.request.resend_count", attempts - 1);
}

}  // namespace

WorkTrace::WorkTrace(Tracer& tracer, const Work& work)
    : tracer_(tracer),
      work_(work),
      context_(tracer.begin()),
      began_(tracer.clock().now()),
      began_wall_(tracer.clock().wall_now()) {}

// All times of a trace share one reading of the wall clock, so that a step of it does not tear
// the trace apart.
WallTime WorkTrace::wall(Time time) const {
  return began_wall_ + std::chrono::duration_cast<WallTime::duration>(time - began_);
}

Span WorkTrace::request_span(std::string_view traceparent, Time began, Time ended,
                             const Status& status) const {
  Span span;
  span.context = context_;
  span.context.span_id = traceparent.substr(kSpanIdAt, kSpanIdDigits);
  span.parent_id = context_.span_id;
  span.kind = Span::Kind::kClient;
  span.began = wall(began);
  span.ended = wall(ended);
  if (!status.ok()) {
    span.outcome = Span::Outcome::kError;
    span.error = status.message();
  }
  return span;
}

void WorkTrace::ended(const ApiRequest& request, const ApiResponse& response) {
  if (!context_.is_sampled() || request.traceparent.empty()) return;
  Span span = request_span(request.traceparent, response.began, response.ended, response.status);
  const ResourcePath& path = request.path;
  const std::string_view verb = verb_name(request.verb);
  span.name = std::string(verb) + " " + path.resource;
  if (!path.subresource.empty()) span.name += "/" + path.subresource;
  add_http(span, http_method(request.verb), response.http_status, response.attempts);
  add(span, "davit.verb", verb);
  add(span, "davit.group", path.group);
  add(span, "davit.version", path.version);
  add(span, "davit.resource", path.resource);
  add(span, "davit.subresource", path.subresource);
  add(span, "k8s.namespace.name", path.ns);
  add(span, "davit.name", path.name);
  tracer_.record(std::move(span));
}

void WorkTrace::ended(const OutboundRequest& request, const OutboundResponse& response,
                      std::string_view traceparent) {
  if (!context_.is_sampled()) return;
  Span span = request_span(traceparent, response.began, response.ended, response.status);
  span.name = request.method;
  add_http(span, request.method, response.http_status, response.attempts);
  add(span, "server.address", request.url.host);
  add(span, "server.port", request.url.port);
  add(span, "url.full", request.url.shown());  // Without the query, which may hold secrets.
  if (response.http_status >= 400) span.outcome = Span::Outcome::kError;
  tracer_.record(std::move(span));
}

void WorkTrace::end(std::string_view result, Span::Outcome outcome, std::string_view error) {
  if (!context_.is_sampled()) return;
  Span span;
  span.context = context_;
  span.name.append(work_.controller).append(" ").append(work_.kind);
  span.began = began_wall_;
  span.ended = wall(tracer_.clock().now());
  add(span, "davit.controller", work_.controller);
  add(span, "davit.plugin", work_.plugin);
  add(span, "davit.build", work_.build);
  add(span, "davit.generation", static_cast<std::int64_t>(work_.generation));
  add(span, "davit.queue", work_.queue);
  add(span, "davit.key", work_.key);
  add(span, "davit.attempt", work_.failures);
  add(span, "davit.result", result);
  span.outcome = outcome;
  span.error = error;
  tracer_.record(std::move(span));
}

}  // namespace davit::host

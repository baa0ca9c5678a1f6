#include "host/api/unary_batch.hpp"

#include <algorithm>
#include <utility>

#include "host/api/api_status.hpp"
#include "host/api/request_builder.hpp"

namespace davit::host {
namespace {

// Single objects and discovery documents; lists go through RestClient::stream().
constexpr std::size_t kBodyBytesMax = std::size_t{64} << 20;
// Enough to keep a server busy; more in flight only costs memory, and half of the streams that
// servers allow per connection stay free for other callers.
constexpr std::size_t kInFlightMax = 50;

Attempt attempt_of(int http_status, std::optional<std::uint32_t> retry_after, Break broken) {
  return {http_status, retry_after, http_status == 0 ? broken : Break::kNone};
}

}  // namespace

UnaryCall::UnaryCall(RestParts& parts, const ApiRequest& request, RequestLoop& loop,
                     std::size_t index)
    : parts_(parts),
      request_(with_client_options(request, parts.options)),
      loop_(loop),
      index_(index) {}

void UnaryCall::prepare(Time now) {
  began_ = now;
  Result<HttpRequest> built = build_request(request_, parts_.options.user_agent);
  if (!built) return conclude(now, built.error());
  http_ = *std::move(built);
  request_.body.clear();  // It is in http_ now.
  http_.purpose = parts_.options.purpose;
  if (is_write(request_.verb)) http_.gate = parts_.options.write_gate;
  http_.loop = &loop_;
  http_.quota = &parts_.quota;
}

void UnaryCall::reserve_token(Time now) {
  phase_ = Phase::kWaiting;
  due_ = token_at_ = parts_.limiter.reserve(now);
  if (due_ > std::min(ends_at_, request_.deadline)) {
    parts_.limiter.cancel(now);
    return conclude(now, {Code::kCancelled,
                          "client rate limiter Wait returned an error: the wait would exceed the "
                          "deadline of the call (" +
                              describe(request_) + ")"});
  }
  note_limiter_wait(parts_, http_.method, http_.target, due_ - now);
  due_ += parts_.backoff.delay(now);
}

void UnaryCall::step(Time now) {
  if (phase_ == Phase::kDone) return;
  if (now >= ends_at_) {
    call_.reset();
    if (phase_ == Phase::kInFlight) note_attempt(parts_, http_, 0, now - attempt_began_);
    return conclude(now, {Code::kUnavailable, "context deadline exceeded: no response from " +
                                                  std::string(parts_.transport.server()) +
                                                  " in time (" + describe(request_) + ")"});
  }
  if (now < due_ || phase_ == Phase::kInFlight) return;
  if (phase_ != Phase::kWaiting) reserve_token(now);
  if (phase_ == Phase::kWaiting && now >= due_) send(now);
}

Time UnaryCall::next_step() const {
  if (phase_ == Phase::kInFlight) return ends_at_;
  return std::min(due_, ends_at_);
}

void UnaryCall::send(Time now) {
  if (is_write(request_.verb) && parts_.options.write_gate) {
    if (Status gate = parts_.options.write_gate(); !gate.ok()) {
      return conclude(now, {Code::kCancelled, gate.message()});
    }
  }
  if (attempts_ == 0) {
    const Duration limit =
        request_.timeout > Duration::zero() ? request_.timeout : parts_.options.default_timeout;
    ends_at_ = std::min(limit > Duration::zero() ? now + limit : Time::max(), request_.deadline);
    log_request(parts_, request_, http_);
    if (is_write(request_.verb)) {
      parts_.metrics.request_size(http_.method, parts_.host, http_.body.size());
    }
  }
  ++attempts_;
  attempt_began_ = now;
  received_ = {};
  phase_ = Phase::kInFlight;
  call_ = parts_.transport.start(http_, *this);
}

void UnaryCall::on_head(int status, const HttpHeaders& headers) {
  received_.http_status = status;
  received_.content_type = header(headers, "content-type");
  if (const std::string_view after = header(headers, "retry-after"); !after.empty()) {
    received_.retry_after_seconds = parse_retry_after(after);
  }
}

ResponseReader::Flow UnaryCall::on_body(std::string_view chunk) {
  received_.too_large = received_.too_large || received_.body.size() + chunk.size() > kBodyBytesMax;
  if (received_.too_large) return Flow::kEnough;
  received_.body += chunk;
  return Flow::kMore;
}

void UnaryCall::on_end(const TransportEnd& end) {
  received_.end = end;
  loop_.post(index_);
}

void UnaryCall::finish_attempt(Time now) {
  if (phase_ != Phase::kInFlight) return;  // It ended in the same moment as its time ran out.
  call_.reset();
  if (received_.end.kind == Break::kGate)
    return conclude(now, {Code::kCancelled, received_.end.message});
  const std::string code =
      received_.http_status == 0 ? "<error>" : std::to_string(received_.http_status);
  note_attempt(parts_, http_, received_.http_status, now - attempt_began_);
  const Status status = judge(received_);

  const CallKind kind = is_write(request_.verb) ? CallKind::kWrite : CallKind::kRead;
  const Attempt attempt =
      attempt_of(received_.http_status, received_.retry_after_seconds, received_.end.kind);
  if (const std::optional<Duration> delay = retry_delay(kind, attempt, attempts_ - 1)) {
    parts_.metrics.request_retried(code, http_.method, parts_.host);
    previous_error_ = status.message();
    phase_ = Phase::kBackoff;
    due_ = now + *delay;
    return;
  }
  response_.http_status = received_.http_status;
  response_.broken = received_.end.kind;
  response_.body = std::move(received_.body);
  response_.content_type = std::move(received_.content_type);
  parts_.metrics.response_size(http_.method, parts_.host, response_.body.size());
  log_response(parts_, request_, response_);
  conclude(now, status);
}

Status UnaryCall::judge(const Received& received) const {
  if (received.http_status == 0) return broken_status(parts_, request_, received.end);
  if (received.too_large) {
    return {Code::kInternal, "the server's response is too large (" + describe(request_) + ")"};
  }
  if (received.end.kind != Break::kNone) {
    return {Code::kUnavailable,
            "stream error when reading response body, may be caused by closed connection. Please "
            "retry. Original error: " +
                received.end.message + " (" + describe(request_) + ")"};
  }
  const ResponseHead head{received.http_status, received.content_type,
                          received.retry_after_seconds};
  Status status = decode_response(request_, head, received.body);
  if (status.ok() && received.body.empty() && request_.raw_path.empty()) {
    return {Code::kInternal,
            "0-length response with status code: " + std::to_string(received.http_status) +
                " and content type: " + received.content_type};
  }
  return status;
}

void UnaryCall::stop(Time now) {
  if (phase_ == Phase::kDone) return;
  if (phase_ == Phase::kWaiting) parts_.limiter.cancel(now);
  const bool sent = phase_ == Phase::kInFlight && call_->is_sent();
  call_.reset();
  if (sent && is_write(request_.verb)) {
    return conclude(now, {Code::kUnavailable,
                          "stopped while the write was under way; it may or "
                          "may not have been applied (" +
                              describe(request_) + ")"});
  }
  conclude(now, {Code::kCancelled, "stopped before a response (" + describe(request_) + ")"});
}

void UnaryCall::hold_back(Time now) {
  if (phase_ == Phase::kDone || (phase_ == Phase::kInFlight && call_->is_sent())) return;
  if (phase_ == Phase::kWaiting) parts_.limiter.cancel(now);
  call_.reset();
  conclude(now, {Code::kCancelled, "cancelled before it was sent (" + describe(request_) + ")"});
}

void UnaryCall::conclude(Time now, const Status& status) {
  phase_ = Phase::kDone;
  response_.status = with_previous_error(status, previous_error_);
  if (attempts_ > 0) parts_.metrics.request_duration(http_.method, parts_.host, now - began_);
  if (attempts_ > 0 && is_write(request_.verb) && request_.dry_run == DryRun::kServer) {
    parts_.log.info(0, "Dry run: the server checked this write and did not keep it",
                    {{"request", describe(request_)},
                     {"namespace", request_.path.ns},
                     {"answer", response_.status.ok() ? "OK" : response_.status.message()}});
  }
}

namespace {

using UnaryCalls = std::vector<std::unique_ptr<UnaryCall>>;

/// When a batch continues: at this time, or as soon as there are so many responses.
struct NextStep {
  Time at;
  std::size_t responses;
};

// Lets each do what is due, as far as kInFlightMax allows. Nothing when all are done.
//
// One of them at a time waits for the limiter. A batch that reserved all its tokens at once would
// make the other callers of the client wait until its last request is sent.
std::optional<NextStep> step_all(const UnaryCalls& calls, Time now) {
  std::size_t in_flight = 0;
  bool in_line = false;
  for (const std::unique_ptr<UnaryCall>& each : calls) {
    in_flight += each->in_flight() ? 1 : 0;
    in_line = in_line || each->awaits_token(now);
  }
  Time next = Time::max();
  bool open = false;
  bool held_back = false;
  for (const std::unique_ptr<UnaryCall>& each : calls) {
    if (each->done()) continue;
    if (!each->in_flight() && in_flight >= kInFlightMax) {
      held_back = true;
      continue;
    }
    if (in_line && each->needs_token(now)) {
      open = true;
      next = std::min(next, each->ends_at());
      continue;
    }
    in_flight -= each->in_flight() ? 1 : 0;
    each->step(now);
    if (each->done()) continue;
    in_flight += each->in_flight() ? 1 : 0;
    in_line = in_line || each->awaits_token(now);
    open = true;
    next = std::min(next, each->next_step());
  }
  if (held_back && in_flight < kInFlightMax)
    next = now;  // Capacity came up after they were held back.
  if (!open && !held_back) return std::nullopt;
  // The caller uses no response before the last one is there, except to send what was held back.
  // Waking it for each response would cost more than the request.
  const std::size_t enough = held_back ? in_flight / 2 : in_flight;
  return NextStep{next, std::max<std::size_t>(enough, 1)};
}

}  // namespace

std::vector<ApiResponse> run_unary(RestParts& parts, std::span<const ApiRequest> requests,
                                   const std::stop_token& stop) {
  const LoopPool::Borrowed borrowed = parts.loops.take();
  RequestLoop& loop = *borrowed;
  UnaryCalls calls;
  calls.reserve(requests.size());
  for (const ApiRequest& request : requests) {
    calls.push_back(std::make_unique<UnaryCall>(parts, request, loop, calls.size()));
    calls.back()->prepare(parts.clock.now());
  }
  const std::stop_callback on_stop(stop, [&loop] { loop.stop(); });
  const std::stop_callback on_hold(parts.hold.token(), [&loop] { loop.hold(); });
  while (true) {
    const Time now = parts.clock.now();
    if (loop.stopped()) {
      for (const std::unique_ptr<UnaryCall>& each : calls) each->stop(now);
    }
    if (loop.held()) {
      for (const std::unique_ptr<UnaryCall>& each : calls) each->hold_back(now);
    }
    const std::optional<NextStep> next = step_all(calls, now);
    if (!next) break;
    for (const std::size_t index : loop.wait(parts.clock, next->at, next->responses)) {
      calls[index]->finish_attempt(parts.clock.now());
    }
  }
  std::vector<ApiResponse> responses;
  responses.reserve(calls.size());
  for (const std::unique_ptr<UnaryCall>& each : calls) {
    responses.push_back(each->take_response());
  }
  return responses;
}

}  // namespace davit::host

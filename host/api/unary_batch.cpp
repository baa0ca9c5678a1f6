#include "host/api/unary_batch.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/api/response_check.hpp"
#include "host/api/response_status.hpp"

namespace davit::host {
namespace {

// Single objects and discovery documents; lists go through RestClient::stream().
constexpr std::size_t kBodyBytesMax = std::size_t{64} << 20;
// Enough to keep a server busy; more in flight only costs memory, and half of the streams that
// servers allow per connection stay free for other callers.
constexpr std::size_t kInFlightMax = 50;

/// Only the server that keeps an object can say that it is absent, in a Status. Any other 404 comes
/// from a proxy, or because the path is not served now.
Status without_absence(Status status) {
  const bool is_bare =
      status.code() == Code::kNotFound && status.has_cause("UnexpectedServerResponse");
  if (!is_bare || mutant("bare-404")) return status;
  return {Code::kUnavailable, status.message(), *status.detail()};
}

/// A write that must not be repeated after it may have been carried out. Other patches, and
/// deletions of one object, end in the same state the second time.
bool is_for_once(const ApiRequest& request) {
  switch (request.verb) {
    case Verb::kCreate:
      return true;
    case Verb::kPatch:
      return request.patch_type == PatchType::kJson;
    case Verb::kDelete:  // Without a precondition it may meet the next object of the name.
      return request.delete_options.uid.empty() && request.delete_options.resource_version.empty();
    default:
      return false;
  }
}

CallKind kind_of(const ApiRequest& request) {
  if (!is_write(request.verb)) return CallKind::kRead;
  return is_for_once(request) ? CallKind::kWriteOnce : CallKind::kWrite;
}

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
  if (is_write(request_.verb) && !mutant("write-gate")) http_.gate = parts_.options.write_gate;
  http_.loop = &loop_;
  http_.quota = &parts_.quota;
}

void UnaryCall::take_token(Time now) {
  phase_ = Phase::kWaiting;
  if (!since_) since_ = now;
  if (!turn_.waits()) turn_ = parts_.limiter.join(*since_, request_.priority);
  due_ = turn_.take(now);
  if (due_ > std::min(ends_at_, request_.deadline)) {
    return conclude(now, {Code::kCancelled,
                          "client rate limiter Wait returned an error: the wait would exceed the "
                          "deadline of the call (" +
                              describe(request_) + ")"});
  }
  if (turn_.waits()) return;
  note_limiter_wait(parts_, http_.method, http_.target, now - *since_);
  since_.reset();
  due_ = now + parts_.backoff.delay(now);
}

void UnaryCall::leave_line() {
  if (!turn_.waits()) return;
  turn_.leave();
  due_ = {};
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
  if (phase_ != Phase::kWaiting || since_) take_token(now);
  if (phase_ == Phase::kWaiting && !since_ && now >= due_) send(now);
}

Time UnaryCall::next_step() const {
  if (phase_ == Phase::kInFlight) return ends_at_;
  return std::min(due_, ends_at_);
}

void UnaryCall::send(Time now) {
  if (is_write(request_.verb) && parts_.options.write_gate && !mutant("write-gate")) {
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

  const Attempt attempt =
      attempt_of(received_.http_status, received_.retry_after_seconds, received_.end.kind);
  if (const std::optional<Duration> delay =
          retry_delay(kind_of(request_), attempt, attempts_ - 1)) {
    constexpr int kServerErrors = 500;
    response_.has_unclear_attempt =
        response_.has_unclear_attempt || received_.http_status >= kServerErrors;
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
  const bool is_success = received.http_status >= 200 && received.http_status <= 206;
  if (is_success && request_.raw_path.empty()) {
    if (received.body.empty() && !is_delete(request_.verb)) {
      return {Code::kUnavailable,
              "0-length response with status code: " + std::to_string(received.http_status) +
                  " and content type: " + received.content_type + " (" + describe(request_) + ")"};
    }
    return check_response(request_, http_.body, received.body);
  }
  const ResponseHead head{received.http_status, received.content_type,
                          received.retry_after_seconds};
  Status status = decode_response(request_, head, received.body);
  return request_.raw_path.empty() ? without_absence(std::move(status)) : status;
}

void UnaryCall::stop(Time now) {
  if (phase_ == Phase::kDone) return;
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
  call_.reset();
  conclude(now, {Code::kCancelled, "cancelled before it was sent (" + describe(request_) + ")"});
}

void UnaryCall::conclude(Time now, const Status& status) {
  phase_ = Phase::kDone;
  turn_.leave();
  response_.began = began_;
  response_.ended = now;
  response_.attempts = attempts_;
  response_.status = with_previous_error(status, previous_error_);
  if (attempts_ > 0) parts_.metrics.request_duration(http_.method, parts_.host, now - began_);
  if (attempts_ > 0 && is_write(request_.verb) && request_.dry_run == DryRun::kServer) {
    parts_.log.info(0, "Dry run: the server checked this write and did not store it",
                    {{"request", describe(request_)},
                     {"namespace", request_.path.ns},
                     {"answer", response_.status.ok() ? "OK" : response_.status.message()}});
  }
}

namespace {

struct Running {
  std::size_t index;
  RequestPriority priority;
  std::unique_ptr<UnaryCall> call;

  [[nodiscard]] bool is_done() const { return call->phase() == UnaryCall::Phase::kDone; }
};
using UnaryCalls = std::vector<Running>;  // Those that came first, first.

/// When a run continues: at this time, or as soon as there are so many responses.
struct NextStep {
  Time at;
  std::size_t in_flight;
};

// Lets each do what is due. Nothing when there is none.
//
// One of them at a time waits for the limiter: that with the highest priority. A batch that stood
// in the line with all its requests would make the other callers of the client wait until its last
// one is sent.
std::optional<NextStep> step_all(UnaryCalls& calls, Time now) {
  if (calls.empty()) return std::nullopt;
  std::vector<UnaryCall*> order;
  order.reserve(calls.size());
  for (const RequestPriority priority :
       {RequestPriority::kHigh, RequestPriority::kNormal, RequestPriority::kLow}) {
    for (const Running& each : calls) {
      if (each.priority == priority) order.push_back(each.call.get());
    }
  }
  NextStep next{Time::max(), 0};
  bool in_line = std::any_of(order.begin(), order.end(),
                             [](const UnaryCall* each) { return each->awaits_token(); });
  for (UnaryCall* const each : order) {
    if (in_line && each->needs_token(now)) {
      next.at = std::min(next.at, each->ends_at());
      continue;
    }
    const bool was_in_line = each->awaits_token();
    each->step(now);
    if (was_in_line && !each->awaits_token()) in_line = false;
    in_line = in_line || each->awaits_token();
    next.in_flight += each->phase() == UnaryCall::Phase::kInFlight ? 1 : 0;
    next.at = std::min(next.at, each->phase() == UnaryCall::Phase::kDone ? now : each->next_step());
  }
  return next;
}

/// Whether the source gets each response as it arrives, or may wait for several: waking the caller
/// for each of a few that it uses together would cost more than the request.
enum class Delivery { kEach, kTogether };

/// The requests of one run that are neither delivered nor still with the source.
class UnaryRun {
 public:
  UnaryRun(RestParts& parts, RequestSource& source, std::size_t at_once_max, Delivery delivery)
      : parts_(parts),
        source_(source),
        at_once_max_(std::clamp<std::size_t>(at_once_max, 1, kInFlightMax)),
        delivery_(delivery),
        loop_(parts.loops.take()) {}

  void run(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { loop_->stop(); });
    const std::stop_callback on_hold(parts_.hold.token(), [this] { loop_->hold(); });
    while (true) {
      fill();
      const Time now = parts_.clock.now();
      for (const Running& each : calls_) {
        if (loop_->stopped()) each.call->stop(now);
        if (loop_->held()) each.call->hold_back(now);
      }
      std::optional<NextStep> next = step_all(calls_, now);
      if (!next) return;
      if (!deliver()) wait(*next);
    }
  }

 private:
  // The source may do anything before it returns.
  void leave_line() {
    for (const Running& each : calls_) each.call->leave_line();
  }

  void fill() {
    while (may_have_more_ && calls_.size() < at_once_max_) {
      leave_line();
      const std::optional<ApiRequest> request = source_.next();
      may_have_more_ = request.has_value();
      if (!request) return;
      const std::size_t index = made_++;
      calls_.push_back(
          {index, request->priority, std::make_unique<UnaryCall>(parts_, *request, *loop_, index)});
      calls_.back().call->prepare(parts_.clock.now());
    }
  }

  // Whether there was one that is done.
  bool deliver() {
    bool delivered = false;
    while (true) {
      const auto found = std::find_if(calls_.begin(), calls_.end(),
                                      [](const Running& each) { return each.is_done(); });
      if (found == calls_.end()) return delivered;
      Running done = std::move(*found);
      calls_.erase(found);
      leave_line();
      source_.done(done.index, done.call->take_response());
      may_have_more_ = true;
      delivered = true;
    }
  }

  void wait(const NextStep& next) {
    const bool each = delivery_ == Delivery::kEach || may_have_more_;
    const std::size_t enough = each ? 1 : std::max<std::size_t>(next.in_flight, 1);
    for (const std::size_t index : loop_->wait(parts_.clock, next.at, enough)) {
      const auto found = std::find_if(calls_.begin(), calls_.end(),
                                      [index](const Running& each) { return each.index == index; });
      if (found != calls_.end()) found->call->finish_attempt(parts_.clock.now());
    }
  }

  RestParts& parts_;
  RequestSource& source_;
  const std::size_t at_once_max_;
  const Delivery delivery_;
  const LoopPool::Borrowed loop_;  // Before the calls, which use it to their end.
  UnaryCalls calls_;
  std::size_t made_ = 0;
  bool may_have_more_ = true;
};

/// A batch as a source.
class SpanSource final : public RequestSource {
 public:
  explicit SpanSource(std::span<const ApiRequest> requests)
      : requests_(requests), responses_(requests.size()) {}

  std::optional<ApiRequest> next() override {
    return next_ < requests_.size() ? std::optional(requests_[next_++]) : std::nullopt;
  }
  void done(std::size_t index, ApiResponse response) override {
    responses_[index] = std::move(response);
  }
  [[nodiscard]] std::vector<ApiResponse> take() { return std::move(responses_); }

 private:
  const std::span<const ApiRequest> requests_;
  std::size_t next_ = 0;
  std::vector<ApiResponse> responses_;
};

}  // namespace

std::vector<ApiResponse> run_unary(RestParts& parts, std::span<const ApiRequest> requests,
                                   const std::stop_token& stop) {
  SpanSource source(requests);
  UnaryRun(parts, source, kInFlightMax, Delivery::kTogether).run(stop);
  return source.take();
}

void run_fan_out(RestParts& parts, RequestSource& source, std::size_t at_once_max,
                 const std::stop_token& stop) {
  UnaryRun(parts, source, at_once_max, Delivery::kEach).run(stop);
}

}  // namespace davit::host

#include "host/outbound/outbound_call.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "host/api/response_status.hpp"
#include "lib/base/lower_case.hpp"

namespace davit::host {
namespace {

constexpr int kLogRequests = 6;
/// A request is part of a sync: what does not succeed soon is for the back-off of its key.
constexpr int kRepeatsMax = 3;
constexpr Duration kFirstBackoff = std::chrono::milliseconds(250);
constexpr Duration kLongestPause = std::chrono::seconds(10);
constexpr std::uint32_t kRedirectsMax = 10;  // net/http's limit.

bool is_idempotent(const OutboundRequest& request) {
  return request.effect == OutboundRequest::Effect::kReads || request.method == "PUT" ||
         request.method == "DELETE" || is_safe_method(request.method);
}

bool is_redirect(int http_status) {
  return http_status == 301 || http_status == 302 || http_status == 303 || http_status == 307 ||
         http_status == 308;
}

/// The headers that another server may see: the others may hold secrets of the first one.
HttpHeaders without_secrets(const HttpHeaders& headers) {
  HttpHeaders kept;
  for (const auto& each : headers) {
    const std::string name = lower_case(each.first);
    if (name == "accept" || name == "accept-language" || name == "user-agent") kept.push_back(each);
  }
  return kept;
}

std::string code_of(int http_status) {
  return http_status == 0 ? "<error>" : std::to_string(http_status);
}

}  // namespace

OutboundCall::OutboundCall(OutboundParts& parts, OutboundRequest request, RequestLoop& loop,
                           std::size_t index)
    : parts_(parts),
      request_(std::move(request)),
      loop_(loop),
      index_(index),
      due_(parts.clock.now()),
      ends_at_(due_ + request_.timeout) {
  response_.began = due_;
  const auto& headers = request_.headers;
  const bool named = std::any_of(headers.begin(), headers.end(), [](const auto& each) {
    return lower_case(each.first) == "user-agent";
  });
  if (!named) request_.headers.emplace_back("User-Agent", parts_.options.user_agent);
  if (Status s = check_outbound(request_); !s.ok()) conclude(std::move(s));
}

std::string OutboundCall::shown() const { return request_.method + " " + request_.url.shown(); }

void OutboundCall::step(Time now) {
  if (phase_ == Phase::kDone) return;
  if (now >= ends_at_) {
    if (phase_ == Phase::kInFlight) note_attempt(now, 0);
    drop_attempt();
    return conclude({Code::kUnavailable, shown() + ": no response in time"});
  }
  if (phase_ == Phase::kWaiting && now >= due_) send(now);
}

void OutboundCall::send(Time now) {
  HttpRequest http;
  if (changes() && parts_.options.write_gate) {
    if (Status gate = parts_.options.write_gate(); !gate.ok()) {
      return conclude({Code::kCancelled, gate.message()});
    }
    http.gate = parts_.options.write_gate;
  }
  Result<OutboundTransports::Borrowed> transport = parts_.transports.take(request_.url);
  if (!transport) return conclude({Code::kUnavailable, transport.error().message()});
  http.method = request_.method;
  http.target = request_.url.target;
  http.headers = request_.headers;
  http.body = request_.body;
  http.loop = &loop_;
  http.quota = &parts_.quota;
  attempt_began_ = now;
  ++response_.attempts;
  received_ = {};
  phase_ = Phase::kInFlight;
  transport_ = *std::move(transport);
  call_ = (*transport_)->start(std::move(http), *this);
}

void OutboundCall::drop_attempt() {
  call_.reset();
  transport_.reset();
}

void OutboundCall::on_head(int status, const HttpHeaders& headers) {
  received_.http_status = status;
  received_.headers = headers;
}

ResponseReader::Flow OutboundCall::on_body(std::string_view chunk) {
  // Nothing is reserved: a length that the server announces costs nothing.
  const std::size_t left = request_.response_bytes_max - received_.body.size();
  received_.too_large = received_.too_large || chunk.size() > left;
  if (received_.too_large) return Flow::kEnough;
  received_.body += chunk;
  return Flow::kMore;
}

void OutboundCall::on_end(const TransportEnd& end) {
  received_.end = end;
  loop_.post(index_);
}

void OutboundCall::note_attempt(Time now, int http_status) {
  const DeclaredHost* const host = parts_.host_of(request_.url);
  const std::string code = code_of(http_status);
  parts_.metrics.outbound_request(parts_.options.controller, host == nullptr ? "" : host->text(),
                                  code, now - attempt_began_);
  if (parts_.log.sink().verbosity() < kLogRequests) return;
  parts_.log.info(
      kLogRequests, "Response from outside",
      {{"method", request_.method},
       {"url", request_.url.shown()},
       {"status", code},
       {"milliseconds",
        std::chrono::duration_cast<std::chrono::milliseconds>(now - attempt_began_).count()}});
}

void OutboundCall::finish_attempt(Time now) {
  if (phase_ != Phase::kInFlight) return;  // It ended in the same moment as its time ran out.
  drop_attempt();
  if (received_.end.kind == Break::kGate) {
    return conclude({Code::kCancelled, received_.end.message});
  }
  note_attempt(now, received_.http_status);
  if (redirect(now)) return;
  if (const std::optional<Duration> pause = repeat_after(now)) {
    ++retries_;
    unclear_ = unclear_ || (received_.http_status != 429 && !was_unsent());
    phase_ = Phase::kWaiting;
    due_ = now + *pause;
    return;
  }
  response_.http_status = received_.http_status;
  Status status = judge();
  if (status.ok()) {
    const Duration asked = retry_after().value_or(Duration::zero());
    response_.retry_after_ms = static_cast<std::uint32_t>(std::min<std::int64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(asked).count(), UINT32_MAX));
    response_.headers = std::move(received_.headers);
    response_.body = std::move(received_.body);
    response_.url = request_.url.text();
  }
  conclude(std::move(status));
}

bool OutboundCall::was_unsent() const {
  return received_.end.kind == Break::kRefused || received_.end.kind == Break::kResolve;
}

std::optional<Duration> OutboundCall::retry_after() const {
  const std::string value(header(received_.headers, "retry-after"));
  if (value.empty()) return std::nullopt;
  if (const auto after = parse_retry_after(value)) return std::chrono::seconds(*after);
  const time_t when = curl_getdate(value.c_str(), nullptr);
  if (when < 0) return std::nullopt;
  const auto pause = WallTime(std::chrono::seconds(when)) - parts_.clock.wall_now();
  return std::max<Duration>(pause, Duration::zero());
}

// A 429 says that nothing was done, so the method does not matter. A 503 may come from a proxy that
// has passed the request on.
std::optional<Duration> OutboundCall::repeat_after(Time now) const {
  using Retry = OutboundRequest::Retry;
  if (request_.retry == Retry::kNever || retries_ >= kRepeatsMax || received_.too_large) {
    return std::nullopt;
  }
  const bool repeatable = request_.retry == Retry::kAlways || is_idempotent(request_);
  const int http_status = received_.http_status;
  const Break broken = received_.end.kind;
  const bool unavailable = http_status == 502 || http_status == 503 || http_status == 504;
  const bool again = broken == Break::kNone
                         ? http_status == 429 || (repeatable && unavailable)
                         : was_unsent() || (repeatable && broken == Break::kReset);
  if (!again) return std::nullopt;
  const Duration pause =
      std::max<Duration>(retry_after().value_or(Duration::zero()), kFirstBackoff * (1 << retries_));
  if (pause > kLongestPause || now + pause >= ends_at_) return std::nullopt;
  return pause;
}

bool OutboundCall::redirect(Time now) {
  const std::string_view location = header(received_.headers, "location");
  if (!is_redirect(received_.http_status) || location.empty() ||
      (request_.method != "GET" && request_.method != "HEAD") ||
      redirects_ >= std::min(request_.redirects_max, kRedirectsMax)) {
    return false;
  }
  Result<OutboundUrl> next = request_.url.resolve(location);
  if (!next) {
    conclude({Code::kUnavailable, shown() + ": " + next.error().message()});
    return true;
  }
  if (parts_.host_of(*next) == nullptr) {
    conclude({Code::kUndeclared, shown() + " is redirected to " + next->origin() +
                                     ", which the note does not declare"});
    return true;
  }
  ++redirects_;
  if (next->origin() != request_.url.origin()) {
    request_.headers = without_secrets(request_.headers);
    request_.body.clear();  // It was for the first server.
  }
  request_.url = *std::move(next);
  phase_ = Phase::kWaiting;
  due_ = now;
  return true;
}

Status OutboundCall::judge() const {
  if (received_.too_large) {
    return {Code::kInternal, shown() + ": the response is larger than " +
                                 std::to_string(request_.response_bytes_max) +
                                 " bytes, the limit of this request"};
  }
  if (received_.end.kind == Break::kNone) return {};
  return {Code::kUnavailable, shown() + ": " + received_.end.message};
}

void OutboundCall::stop() {
  if (phase_ == Phase::kDone) return;
  const bool sent = phase_ == Phase::kInFlight && call_->is_sent();
  drop_attempt();
  conclude_early("stopped before a response", sent ? Sent::kYes : Sent::kNo);
}

void OutboundCall::hold_back() {
  if (phase_ == Phase::kDone || (phase_ == Phase::kInFlight && call_->is_sent())) return;
  drop_attempt();
  conclude_early("held back before it was sent", Sent::kNo);
}

void OutboundCall::conclude_early(const char* why, Sent sent) {
  const std::string text = shown() + ": " + why;
  if (!changes() || (sent == Sent::kNo && !unclear_)) return conclude({Code::kCancelled, text});
  conclude({Code::kUnavailable, text + "; what it was to change may or may not have been changed"});
}

void OutboundCall::conclude(Status status) {
  phase_ = Phase::kDone;
  response_.ended = parts_.clock.now();
  response_.status = std::move(status);
}

std::vector<OutboundResponse> run_outbound(OutboundParts& parts,
                                           std::vector<OutboundRequest> requests,
                                           const std::stop_token& stop) {
  const LoopPool::Borrowed borrowed = parts.loops.take();
  RequestLoop& loop = *borrowed;
  std::vector<std::unique_ptr<OutboundCall>> calls;
  calls.reserve(requests.size());
  for (OutboundRequest& each : requests) {
    calls.push_back(std::make_unique<OutboundCall>(parts, std::move(each), loop, calls.size()));
  }
  const std::stop_callback on_stop(stop, [&loop] { loop.stop(); });
  const std::stop_callback on_hold(parts.hold.token(), [&loop] { loop.hold(); });
  for (;;) {
    const Time now = parts.clock.now();
    Time next = Time::max();
    std::size_t open = 0;
    for (const auto& each : calls) {
      if (loop.stopped()) each->stop();
      if (loop.held()) each->hold_back();
      each->step(now);
      if (each->done()) continue;
      ++open;
      next = std::min(next, each->next_step());
    }
    if (open == 0) break;
    for (const std::size_t index : loop.wait(parts.clock, next, 1)) {
      calls[index]->finish_attempt(parts.clock.now());
    }
  }
  std::vector<OutboundResponse> responses;
  responses.reserve(calls.size());
  for (const auto& each : calls) responses.push_back(each->take_response());
  return responses;
}

}  // namespace davit::host

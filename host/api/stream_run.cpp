#include "host/api/stream_run.hpp"

#include <utility>

#include "host/api/api_status.hpp"
#include "host/api/request_builder.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {
namespace {

// The part of an error response that is read; larger than any Status.
constexpr std::size_t kErrorBytesMax = std::size_t{1} << 20;
// A buffer that a burst has blown up is not kept for the quiet hours after it.
constexpr std::size_t kKeptBytesMax = 16 * 1024;

// Sleeps until `when` comes or `stop` is requested; false for the latter.
bool sleep_until(Clock& clock, Time when, const std::stop_token& stop) {
  RequestLoop bell;
  const std::stop_callback on_stop(stop, [&bell] { bell.stop(); });
  while (!bell.stopped() && clock.now() < when) static_cast<void>(bell.wait(clock, when, 1));
  return !bell.stopped();
}

}  // namespace

void StreamPipe::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_one();
}

void StreamPipe::on_head(int status, const HttpHeaders& headers) {
  Head head;
  head.http_status = status;
  head.content_type = header(headers, "content-type");
  if (const std::string_view after = header(headers, "retry-after"); !after.empty()) {
    head.retry_after_seconds = parse_retry_after(after);
  }
  MutexLock lock(mutex_);
  head_ = std::move(head);
  changed_.notify_one();
}

ResponseReader::Flow StreamPipe::on_body(std::string_view chunk) {
  MutexLock lock(mutex_);
  if (!unread_.empty() && unread_.size() + chunk.size() > kUnreadBytesMax) {
    paused_ = true;
    return Flow::kPause;
  }
  const bool was_empty = unread_.empty();
  unread_ += chunk;
  if (was_empty) changed_.notify_one();
  return Flow::kMore;
}

void StreamPipe::on_end(const TransportEnd& end) {
  MutexLock lock(mutex_);
  end_ = end;
  changed_.notify_one();
}

std::optional<StreamPipe::Head> StreamPipe::await_head() {
  MutexLock lock(mutex_);
  while (!head_ && !end_ && !stopped_) changed_.wait(mutex_);
  return stopped_ ? std::nullopt : head_;
}

StreamPipe::Piece StreamPipe::await_data(std::string& out, Call& call) {
  bool resume = false;
  {
    MutexLock lock(mutex_);
    while (unread_.empty() && !end_ && !stopped_) changed_.wait(mutex_);
    if (stopped_) return Piece::kStopped;
    if (unread_.empty()) return Piece::kEnd;
    out.swap(unread_);
    resume = std::exchange(paused_, false);
  }
  if (resume) call.resume();
  return Piece::kData;
}

TransportEnd StreamPipe::end() {
  MutexLock lock(mutex_);
  return end_.value_or(TransportEnd{});
}

StreamRun::StreamRun(RestParts& parts, const ApiRequest& request)
    : parts_(parts), request_(request) {}

Status StreamRun::run(const std::stop_token& stop, const RestClient::ChunkSink& sink) {
  if (is_write(request_.verb)) return {Code::kMisuse, "only reads can be streamed"};
  Result<HttpRequest> built = build_request(request_, parts_.options.user_agent);
  if (!built) return built.error();
  http_ = *std::move(built);
  http_.purpose = ConnectionPurpose::kWatch;
  if (request_.verb != Verb::kWatch) {
    http_.sharing = Sharing::kAlone;
    http_.timeout = request_.timeout;
  }
  log_request(parts_, request_, http_);
  if (request_.verb != Verb::kWatch) {
    if (Status s = take_token(stop); !s.ok()) return s;
  }
  while (true) {
    const Time now = parts_.clock.now();
    if (!sleep_until(parts_.clock, now + parts_.backoff.delay(now), stop)) return stopped();
    Verdict verdict = attempt(stop, sink);
    if (!verdict.retry_in) return with_previous_error(verdict.status, previous_error_);
    ++retries_;
    previous_error_ = verdict.status.message();
    if (!sleep_until(parts_.clock, parts_.clock.now() + *verdict.retry_in, stop)) return stopped();
    if (Status s = take_token(stop); !s.ok()) return s;
  }
}

StreamRun::Verdict StreamRun::attempt(const std::stop_token& stop,
                                      const RestClient::ChunkSink& sink) {
  StreamPipe pipe;
  const std::stop_callback on_stop(stop, [&pipe] { pipe.stop(); });
  const Time began = parts_.clock.now();
  const std::unique_ptr<Call> call = parts_.transport.start(http_, pipe);
  const std::optional<StreamPipe::Head> head = pipe.await_head();
  if (stop.stop_requested()) return {stopped(), std::nullopt};
  note_attempt(parts_, http_, head ? head->http_status : 0, parts_.clock.now() - began);
  if (!head) return broken(pipe.end());
  const bool accepted = head->http_status == 200;
  if (accepted) {
    if (Status s = sink({}); !s.ok()) return {std::move(s), std::nullopt};
    return {pump(pipe, *call, sink), std::nullopt};
  }
  std::string body;
  const Status read = pump(pipe, *call, [&body](std::string_view chunk) {
    if (body.size() + chunk.size() > kErrorBytesMax) return Status(Code::kInternal, "");
    body += chunk;
    return Status();
  });
  if (read.code() == Code::kCancelled) return {read, std::nullopt};
  return refused(*head, std::move(body));
}

StreamRun::Verdict StreamRun::refused(const StreamPipe::Head& head, std::string body) {
  Status status = decode_response(
      request_, {head.http_status, head.content_type, head.retry_after_seconds}, body);
  if (status.ok()) {
    status = Status(Code::kInternal, "for request " + http_.target +
                                         ", got status: " + std::to_string(head.http_status));
  }
  const CallKind kind = request_.verb == Verb::kWatch ? CallKind::kWatch : CallKind::kRead;
  const Attempt attempt{head.http_status, head.retry_after_seconds, Break::kNone};
  const std::optional<Duration> delay = retry_delay(kind, attempt, retries_);
  if (delay) {
    parts_.metrics.request_retried(std::to_string(head.http_status), http_.method, parts_.host);
  }
  return {std::move(status), delay};
}

StreamRun::Verdict StreamRun::broken(const TransportEnd& end) {
  const CallKind kind = request_.verb == Verb::kWatch ? CallKind::kWatch : CallKind::kRead;
  const Attempt attempt{0, std::nullopt, end.kind};
  const std::optional<Duration> delay = retry_delay(kind, attempt, retries_);
  if (delay) {
    parts_.metrics.request_retried("<error>", http_.method, parts_.host);
    return {broken_status(parts_, request_, end), delay};
  }
  // A watch that only lacked a connection, again and again, counts as one that ended at once.
  const bool retryable = retry_delay(kind, attempt, 0).has_value();
  if (kind == CallKind::kWatch && retryable) return {Status(), std::nullopt};
  return {broken_status(parts_, request_, end), std::nullopt};
}

Status StreamRun::pump(StreamPipe& pipe, Call& call, const RestClient::ChunkSink& sink) {
  std::string piece;
  while (true) {
    switch (pipe.await_data(piece, call)) {
      case StreamPipe::Piece::kStopped:
        return stopped();
      case StreamPipe::Piece::kEnd: {
        const TransportEnd end = pipe.end();
        if (end.kind == Break::kNone) return {};
        return {Code::kUnavailable,
                "stream error when reading response body, may be caused by closed connection. "
                "Please retry. Original error: " +
                    end.message + " (" + describe(request_) + ")"};
      }
      case StreamPipe::Piece::kData:
        if (Status s = sink(piece); !s.ok()) return s;
        piece.clear();
        if (piece.capacity() > kKeptBytesMax && request_.verb == Verb::kWatch) {
          piece.shrink_to_fit();
        }
    }
  }
}

Status StreamRun::take_token(const std::stop_token& stop) {
  const Time now = parts_.clock.now();
  const Time due = parts_.limiter.reserve(now);
  if (due > request_.deadline) {
    parts_.limiter.cancel(now);
    return {Code::kCancelled,
            "client rate limiter Wait returned an error: the wait would exceed the deadline of the "
            "call (" +
                describe(request_) + ")"};
  }
  note_limiter_wait(parts_, http_.method, http_.target, due - now);
  if (sleep_until(parts_.clock, due, stop)) return {};
  parts_.limiter.cancel(parts_.clock.now());
  return stopped();
}

Status StreamRun::stopped() const {
  return {Code::kCancelled, "stopped while reading (" + describe(request_) + ")"};
}

}  // namespace davit::host

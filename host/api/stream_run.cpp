#include "host/api/stream_run.hpp"

#include <utility>

#include "host/api/request_builder.hpp"
#include "host/api/response_status.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {
namespace {

constexpr int kHttpOk = 200;
// The part of an error response that is read; larger than any Status.
constexpr std::size_t kErrorBytesMax = std::size_t{1} << 20;
// A buffer that a burst has blown up is not kept for the quiet hours after it.
constexpr std::size_t kKeptBytesMax = 1024;

// Sleeps until `when` comes or `stop` is requested; false for the latter.
bool sleep_until(Clock& clock, Time when, const std::stop_token& stop) {
  RequestLoop bell;
  const std::stop_callback on_stop(stop, [&bell] { bell.stop(); });
  while (!bell.stopped() && clock.now() < when) static_cast<void>(bell.wait(clock, when, 1));
  return !bell.stopped();
}

}  // namespace

void StreamBuffer::on_head(int status, const HttpHeaders& headers) {
  Head head;
  head.http_status = status;
  head.content_type = header(headers, "content-type");
  if (const std::string_view after = header(headers, "retry-after"); !after.empty()) {
    head.retry_after_seconds = parse_retry_after(after);
  }
  {
    MutexLock lock(mutex_);
    head_ = std::move(head);
  }
  loop_.post(0);
}

ResponseReader::Flow StreamBuffer::on_body(std::string_view chunk) {
  {
    MutexLock lock(mutex_);
    if (!unread_.empty() && unread_.size() + chunk.size() > kUnreadBytesMax) {
      paused_ = true;
      return Flow::kPause;
    }
    const bool was_empty = unread_.empty();
    unread_ += chunk;
    if (!was_empty) return Flow::kMore;
  }
  loop_.post(0);
  return Flow::kMore;
}

void StreamBuffer::on_end(const TransportEnd& end) {
  {
    MutexLock lock(mutex_);
    end_ = end;
  }
  loop_.post(0);
}

bool StreamBuffer::wait() {
  if (loop_.stopped()) return false;
  if (clock_.now() < deadline_) {
    static_cast<void>(loop_.wait(clock_, deadline_, 1));
    return true;
  }
  MutexLock lock(mutex_);
  if (!end_) end_ = TransportEnd{Break::kTimeout, "the server took too long to respond"};
  return true;
}

std::optional<StreamBuffer::Head> StreamBuffer::await_head() {
  while (true) {
    {
      MutexLock lock(mutex_);
      if (head_ || end_) return head_;
    }
    if (!wait()) return std::nullopt;
  }
}

StreamBuffer::Piece StreamBuffer::await_data(std::string& out, Call& call) {
  while (true) {
    bool resume = false;
    bool any = false;
    {
      MutexLock lock(mutex_);
      any = !unread_.empty();
      if (!any && end_) return Piece::kEnd;
      out.swap(unread_);
      resume = any && std::exchange(paused_, false);
    }
    if (loop_.stopped()) return Piece::kStopped;
    if (resume) call.resume();
    if (any) return Piece::kData;
    if (!wait()) return Piece::kStopped;
  }
}

TransportEnd StreamBuffer::end() {
  MutexLock lock(mutex_);
  return end_.value_or(TransportEnd{});
}

StreamRun::StreamRun(RestParts& parts, const ApiRequest& request)
    : parts_(parts), request_(request) {}

Status StreamRun::run(const std::stop_token& stop, const RestClient::ChunkSink& sink) {
  if (request_.verb == Verb::kWatch) return run_until(stop, sink);
  std::stop_source either;
  const std::stop_callback on_stop(stop, [&either] { either.request_stop(); });
  const std::stop_callback on_hold(parts_.hold.token(), [&either] { either.request_stop(); });
  return run_until(either.get_token(), sink);
}

Status StreamRun::run_until(const std::stop_token& stop, const RestClient::ChunkSink& sink) {
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
  RequestLoop loop;
  const std::stop_callback on_stop(stop, [&loop] { loop.stop(); });
  const Time began = parts_.clock.now();
  const bool has_limit = http_.timeout > Duration::zero();
  StreamBuffer buffer(loop, parts_.clock, has_limit ? began + http_.timeout : Time::max());
  http_.loop = &loop;
  const std::unique_ptr<Call> call = parts_.transport.start(http_, buffer);
  const std::optional<StreamBuffer::Head> head = buffer.await_head();
  if (stop.stop_requested()) return {stopped(), std::nullopt};
  note_attempt(parts_, http_, head ? head->http_status : 0, parts_.clock.now() - began);
  if (!head) return broken(buffer.end());
  // A watch is answered with 200; other bodies, a log for example, may be empty (204).
  const bool accepted =
      request_.verb == Verb::kWatch ? head->http_status == kHttpOk : head->http_status / 100 == 2;
  if (accepted) {
    if (Status s = sink({}); !s.ok()) return {std::move(s), std::nullopt};
    return {pump(buffer, *call, sink), std::nullopt};
  }
  std::string body;
  const Status read = pump(buffer, *call, [&body](std::string_view chunk) {
    if (body.size() + chunk.size() > kErrorBytesMax) return Status(Code::kInternal, "");
    body += chunk;
    return Status();
  });
  if (read.code() == Code::kCancelled) return {read, std::nullopt};
  return refused(*head, std::move(body));
}

StreamRun::Verdict StreamRun::refused(const StreamBuffer::Head& head, std::string body) {
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

Status StreamRun::pump(StreamBuffer& buffer, Call& call, const RestClient::ChunkSink& sink) {
  std::string piece;
  while (true) {
    switch (buffer.await_data(piece, call)) {
      case StreamBuffer::Piece::kStopped:
        return stopped();
      case StreamBuffer::Piece::kEnd: {
        const TransportEnd end = buffer.end();
        if (end.kind == Break::kNone) return {};
        return {Code::kUnavailable,
                "stream error when reading response body, may be caused by closed connection. "
                "Please retry. Original error: " +
                    end.message + " (" + describe(request_) + ")"};
      }
      case StreamBuffer::Piece::kData:
        if (Status s = sink(piece); !s.ok()) return s;
        piece.clear();
        if (piece.capacity() > kKeptBytesMax && request_.verb == Verb::kWatch) {
          piece.shrink_to_fit();
        }
    }
  }
}

Status StreamRun::take_token(const std::stop_token& stop) {
  const Time since = parts_.clock.now();
  TokenBucket::Turn turn = parts_.limiter.join(since, request_.priority);
  while (true) {
    const Time now = parts_.clock.now();
    const Time due = turn.take(now);
    if (due > request_.deadline) {
      return {Code::kCancelled,
              "client rate limiter Wait returned an error: the wait would exceed the deadline of "
              "the call (" +
                  describe(request_) + ")"};
    }
    if (!turn.waits()) {
      note_limiter_wait(parts_, http_.method, http_.target, now - since);
      return {};
    }
    if (!sleep_until(parts_.clock, due, stop)) return stopped();
  }
}

Status StreamRun::stopped() const {
  return {Code::kCancelled, "stopped while reading (" + describe(request_) + ")"};
}

}  // namespace davit::host

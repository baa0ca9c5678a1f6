#include "host/api/stream_run.hpp"

#include <davit/mutant.hpp>
#include <utility>

#include "host/api/request_builder.hpp"
#include "host/api/response_status.hpp"

namespace davit::host {
namespace {

constexpr int kHttpOk = 200;
// The part of an error response that is read; larger than any Status.
constexpr std::size_t kErrorBytesMax = std::size_t{1} << 20;
// A buffer that a burst has blown up is not kept for the quiet hours after it.
constexpr std::size_t kKeptBytesMax = 1024;
// So many pieces are read at a time. A transport that fills the buffer on its own thread may
// always have another one.
constexpr int kPiecesMax = 4;

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
  place_.post();
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
  place_.post();
  return Flow::kMore;
}

void StreamBuffer::on_end(const TransportEnd& end) {
  {
    MutexLock lock(mutex_);
    end_ = end;
  }
  place_.post();
}

void StreamBuffer::time_out() {
  MutexLock lock(mutex_);
  if (!end_) end_ = TransportEnd{Break::kTimeout, "the server took too long to respond"};
}

StreamBuffer::Piece StreamBuffer::take_head(Head& out) {
  MutexLock lock(mutex_);
  if (!head_) return end_ ? Piece::kEnd : Piece::kNothing;
  out = *std::exchange(head_, std::nullopt);
  return Piece::kData;
}

StreamBuffer::Piece StreamBuffer::take(std::string& out, Call& call) {
  bool resume = false;
  {
    MutexLock lock(mutex_);
    if (unread_.empty()) return end_ ? Piece::kEnd : Piece::kNothing;
    out.swap(unread_);
    resume = std::exchange(paused_, false);
  }
  if (resume) call.resume();
  return Piece::kData;
}

TransportEnd StreamBuffer::end() {
  MutexLock lock(mutex_);
  return end_.value_or(TransportEnd{});
}

StreamRun::StreamRun(RestParts& parts, const ApiRequest& request, std::stop_token stop,
                     LoopPlace place, RestClient::ChunkSink sink)
    : parts_(parts),
      request_(request),
      place_(place),
      sink_(std::move(sink)),
      on_stop_(std::move(stop), Cancel{*this}) {
  if (!is_watch()) on_hold_.emplace(parts_.hold.token(), Cancel{*this});
  if (is_write(request_.verb)) {
    result_ = Status(Code::kMisuse, "only reads can be streamed");
    return;
  }
  Result<HttpRequest> built = build_request(request_, parts_.options.user_agent);
  if (!built) {
    result_ = built.error();
    return;
  }
  http_ = *std::move(built);
  http_.purpose = ConnectionPurpose::kWatch;
  http_.loop = &place_.loop;
  if (!is_watch()) {
    http_.sharing = Sharing::kAlone;
    http_.timeout = request_.timeout;
  }
  log_request(parts_, request_, http_);
  const Time now = parts_.clock.now();
  if (!is_watch()) {
    join_line(now);
    return;
  }
  phase_ = Phase::kBackingOff;
  due_ = now + parts_.backoff.delay(now);
}

std::optional<Status> StreamRun::proceed() {
  has_more_ = false;
  int pieces = 0;
  while (!result_) {
    if (is_cancelled_) {
      result_ = stopped();
    } else if (phase_ == Phase::kReading && pieces++ == kPiecesMax && !mutant("stream-turns")) {
      has_more_ = true;
      return std::nullopt;
    } else if (!step(parts_.clock.now())) {
      return std::nullopt;
    }
  }
  call_.reset();
  return result_;
}

Time StreamRun::due() const {
  if (has_more_ || result_) return Time{};
  if (phase_ == Phase::kUnprepared) return Time::max();
  const bool is_under_way = phase_ == Phase::kAwaitingHead || phase_ == Phase::kReading;
  return is_under_way ? deadline_ : due_;
}

bool StreamRun::must_prepare() const { return phase_ == Phase::kUnprepared && !result_; }

void StreamRun::prepared(const Status& status) {
  if (!must_prepare() || is_cancelled_) return;
  began_ = parts_.clock.now();
  // Even if the credentials have expired again: start() then fetches others.
  if (status.ok()) return begin_attempt(began_);
  note_attempt(parts_, http_, 0, Duration::zero());
  const bool is_refused = status.code() == Code::kForbidden;  // Not a thread that is missing.
  broken({is_refused ? Break::kCredentials : Break::kOther, status.message()});
}

bool StreamRun::step(Time now) {
  switch (phase_) {
    case Phase::kThrottled:
      return take_token(now);
    case Phase::kBackingOff:
      return now >= due_ && may_begin(now);
    case Phase::kUnprepared:
      return false;
    case Phase::kAwaitingHead:
      return read_head(now);
    case Phase::kReading:
      return read(now);
    case Phase::kRetrying:
      if (now < due_) return false;
      join_line(now);
      return true;
  }
  return false;
}

void StreamRun::join_line(Time now) {
  phase_ = Phase::kThrottled;
  in_line_since_ = now;
  turn_ = parts_.limiter.join(now, request_.priority);
}

bool StreamRun::take_token(Time now) {
  due_ = turn_.take(now);
  if (due_ > request_.deadline) {
    result_ = Status(Code::kCancelled,
                     "client rate limiter Wait returned an error: the wait would exceed the "
                     "deadline of the call (" +
                         describe(request_) + ")");
    return true;
  }
  if (turn_.waits()) return false;
  note_limiter_wait(parts_, http_.method, http_.target, now - in_line_since_);
  phase_ = Phase::kBackingOff;
  due_ = now + parts_.backoff.delay(now);
  return true;
}

// Before each attempt: credentials may have expired while it waited.
bool StreamRun::may_begin(Time now) {
  if (!parts_.transport.is_ready() && !mutant("unprepared-attempt")) {
    phase_ = Phase::kUnprepared;
    return false;
  }
  begin_attempt(now);
  return true;
}

void StreamRun::begin_attempt(Time now) {
  call_.reset();
  began_ = now;
  deadline_ = http_.timeout > Duration::zero() ? now + http_.timeout : Time::max();
  refusal_.clear();
  phase_ = Phase::kAwaitingHead;
  buffer_.emplace(place_);
  call_ = parts_.transport.start(http_, *buffer_);
}

bool StreamRun::read_head(Time now) {
  const StreamBuffer::Piece piece = buffer_->take_head(head_);
  if (piece == StreamBuffer::Piece::kNothing) {
    if (now < deadline_) return false;
    buffer_->time_out();
    return true;
  }
  const bool has_head = piece == StreamBuffer::Piece::kData;
  note_attempt(parts_, http_, has_head ? head_.http_status : 0, now - began_);
  if (!has_head) {
    broken(buffer_->end());
    return true;
  }
  // A watch is answered with 200; other bodies, a log for example, may be empty (204).
  const bool is_accepted = is_watch() ? head_.http_status == kHttpOk : head_.http_status / 100 == 2;
  is_refused_ = !is_accepted;
  phase_ = Phase::kReading;
  if (is_refused_) return true;
  if (Status s = sink_({}); !s.ok()) conclude(std::move(s), std::nullopt);
  return true;
}

bool StreamRun::read(Time now) {
  switch (buffer_->take(piece_, *call_)) {
    case StreamBuffer::Piece::kNothing:
      if (now < deadline_) return false;
      buffer_->time_out();
      return true;
    case StreamBuffer::Piece::kEnd:
      read_end();
      return true;
    case StreamBuffer::Piece::kData:
      break;
  }
  if (Status s = use_piece(); !s.ok()) conclude(std::move(s), std::nullopt);
  piece_.clear();
  if (piece_.capacity() > kKeptBytesMax && is_watch()) piece_.shrink_to_fit();
  return true;
}

Status StreamRun::use_piece() {
  if (!is_refused_) return sink_(piece_);
  if (refusal_.size() + piece_.size() <= kErrorBytesMax) {
    refusal_ += piece_;
  } else {
    refused();
  }
  return {};
}

void StreamRun::read_end() {
  if (is_refused_) return refused();
  const TransportEnd end = buffer_->end();
  if (end.kind == Break::kNone) return conclude({}, std::nullopt);
  conclude({Code::kUnavailable,
            "stream error when reading response body, may be caused by closed connection. "
            "Please retry. Original error: " +
                end.message + " (" + describe(request_) + ")"},
           std::nullopt);
}

void StreamRun::refused() {
  Status status = decode_response(
      request_, {head_.http_status, head_.content_type, head_.retry_after_seconds}, refusal_);
  if (status.ok()) {
    status = Status(Code::kInternal, "for request " + http_.target +
                                         ", got status: " + std::to_string(head_.http_status));
  }
  const CallKind kind = is_watch() ? CallKind::kWatch : CallKind::kRead;
  const Attempt attempt{head_.http_status, head_.retry_after_seconds, Break::kNone};
  const std::optional<Duration> delay = retry_delay(kind, attempt, retries_);
  if (delay) {
    parts_.metrics.request_retried(std::to_string(head_.http_status), http_.method, parts_.host);
  }
  conclude(std::move(status), delay);
}

void StreamRun::broken(const TransportEnd& end) {
  const CallKind kind = is_watch() ? CallKind::kWatch : CallKind::kRead;
  const Attempt attempt{0, std::nullopt, end.kind};
  const std::optional<Duration> delay = retry_delay(kind, attempt, retries_);
  if (delay) {
    parts_.metrics.request_retried("<error>", http_.method, parts_.host);
    return conclude(broken_status(parts_, request_, end), delay);
  }
  // A watch that only lacked a connection, again and again, counts as one that ended at once.
  const bool is_retryable = retry_delay(kind, attempt, 0).has_value();
  if (is_watch() && is_retryable) return conclude({}, std::nullopt);
  conclude(broken_status(parts_, request_, end), std::nullopt);
}

void StreamRun::conclude(Status status, std::optional<Duration> delay) {
  if (!delay) {
    result_ = with_previous_error(status, previous_error_);
    return;
  }
  call_.reset();
  ++retries_;
  previous_error_ = status.message();
  phase_ = Phase::kRetrying;
  due_ = parts_.clock.now() + *delay;
}

Status StreamRun::stopped() const {
  return {Code::kCancelled, "stopped while reading (" + describe(request_) + ")"};
}

}  // namespace davit::host

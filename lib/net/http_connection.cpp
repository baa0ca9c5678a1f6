#include "lib/net/http_connection.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace davit {
namespace {

/// What pipelining clients may have in store while a response is under way.
constexpr std::size_t kAheadMax = std::size_t{64} << 10U;
/// A piece of a stream: large enough to be cheap, small enough that a slow client holds little.
constexpr std::size_t kStreamPiece = std::size_t{64} << 10U;
/// As net/http waits after a refusal.
constexpr Duration kLingerTime = std::chrono::milliseconds(500);

/// No answer of ours may end its own head, whatever an object's text has in it.
void append_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out += (byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c;
  }
  out += "\r\n";
}

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string hex(std::size_t number) {
  std::array<char, 2 * sizeof number + 1> text{};
  std::snprintf(text.data(), text.size(), "%zx", number);
  return text.data();
}

}  // namespace

HttpConnection::HttpConnection(const HttpServerOptions& options, const Handler& handler,
                               std::function<void()> wake, Time now)
    : options_(options),
      handler_(handler),
      wake_(std::move(wake)),
      state_deadline_(now + options.idle_time),
      send_deadline_(Time::max()) {}

void HttpConnection::receive(std::string_view bytes, Time now) {
  if (state_ == State::kLingering || state_ == State::kClosed) return;
  in_ += bytes;
  if (state_ == State::kIdle && !sending_) start_reading(now);
  if (state_ == State::kReading) read_request();
}

void HttpConnection::receive_end() {
  peer_ended_ = true;
  switch (state_) {
    case State::kDelayed:
    case State::kAnswering:
      keep_alive_ = false;  // A client that half-closed gets its response.
      break;
    case State::kIdle:
    case State::kReading:
      if (sending_) break;  // "100 Continue" perhaps; output() or the deadline ends it.
      close(Fate::kClose);
      break;
    default:  // Nobody listens to a stream any more.
      close(Fate::kClose);
  }
}

void HttpConnection::start_reading(Time now) {
  if (in_.empty()) return;
  reader_.emplace(options_);
  state_ = State::kReading;
  state_deadline_ = now + options_.request_time;
}

void HttpConnection::read_request() {
  const RequestReader::State before = reader_->state();
  const RequestReader::State after = reader_->read(in_);
  switch (after) {
    case RequestReader::State::kHead:
      return;
    case RequestReader::State::kBody:
      if (before == RequestReader::State::kHead && reader_->expects_continue() && in_.empty()) {
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
      }
      return;
    case RequestReader::State::kBad:
      return refuse(reader_->refusal());
    case RequestReader::State::kTooLarge:
      if (options_.large_body == LargeBody::kRefuse) return refuse(413);
      break;
    case RequestReader::State::kDone:
      break;
  }
  answer_request();
}

void HttpConnection::answer_request() {
  HttpServerRequest request = reader_->take();
  keep_alive_ = reader_->keep_alive() && !request.body_too_large && !draining_ && !peer_ended_;
  old_version_ = reader_->old_version();
  head_only_ = request.method == "HEAD";
  request.peer = peer_;
  reader_.reset();
  response_ = handler_(request);
  begin_response();
}

void HttpConnection::refuse(int status) {
  keep_alive_ = false;
  head_only_ = false;
  old_version_ = false;
  reader_.reset();
  response_ = {};
  response_.status = status;
  response_.body = std::to_string(status) + " " + std::string(reason_phrase(status)) + "\n";
  begin_response();
}

bool HttpConnection::settle() {
  if (!response_.deferred) return true;
  std::optional<HttpServerResponse> known = response_.deferred->take();
  if (!known) {
    state_ = State::kDelayed;
    state_deadline_ = response_.deferred->next_take();
    return false;
  }
  response_ = std::move(*known);
  return true;
}

void HttpConnection::begin_response() {
  if (!settle()) return;
  if (response_.aborted) return close(Fate::kReset);
  ending_ = cutting_ = false;
  state_ = State::kAnswering;
  write_head();
  const bool body = may_have_body(response_.status) && !head_only_;
  if (!body) response_.stream.reset();
  const std::string piece = body ? std::exchange(response_.body, {}) : std::string();
  if (!response_.stream) {
    out_ += piece;
    ending_ = true;
    return;
  }
  append_chunk(piece);
  state_ = State::kStreaming;
  readable_ = true;
  response_.stream->on_ready(wake_);
}

void HttpConnection::write_head() {
  const bool body = may_have_body(response_.status);
  framing_ = old_version_ ? Framing::kUntilClose : Framing::kChunked;
  if (body && response_.stream && old_version_) keep_alive_ = false;
  out_ += "HTTP/1.1 " + std::to_string(response_.status) + " ";
  append_value(out_, reason_phrase(response_.status));
  if (body) {
    out_ += "Content-Type: ";
    append_value(out_, response_.content_type);
  }
  for (const auto& [key, value] : response_.headers) {
    out_ += key + ": ";
    append_value(out_, value);
  }
  if (!keep_alive_) out_ += "Connection: close\r\n";
  if (keep_alive_ && old_version_) out_ += "Connection: keep-alive\r\n";
  if (body && response_.stream) {
    out_ += framing_ == Framing::kChunked ? "Transfer-Encoding: chunked\r\n" : "";
  } else if (body) {
    out_ += "Content-Length: " + std::to_string(response_.body.size()) + "\r\n";
  }
  out_ += "\r\n";
}

void HttpConnection::append_chunk(std::string_view piece) {
  if (piece.empty()) return;
  if (framing_ == Framing::kUntilClose) {
    out_ += piece;
    return;
  }
  out_ += hex(piece.size());
  out_ += "\r\n";
  out_ += piece;
  out_ += "\r\n";
}

void HttpConnection::pull_stream() {
  if (!readable_ || !response_.stream) return;
  std::string piece;
  const HttpBodyStream::State state = response_.stream->read(piece, kStreamPiece);
  if (piece.empty() && state == HttpBodyStream::State::kOpen) readable_ = false;
  append_chunk(piece);
  if (state == HttpBodyStream::State::kCut) {
    cutting_ = true;
  } else if (state == HttpBodyStream::State::kEnded) {
    if (framing_ == Framing::kChunked) out_ += "0\r\n\r\n";
    ending_ = true;
  } else {
    return;
  }
  response_.stream.reset();
}

std::string HttpConnection::output(Time now) {
  if (sending_ || state_ == State::kClosed) return {};
  if (out_.empty() && (ending_ || cutting_)) finish_response(now);
  if (out_.empty() && state_ == State::kStreaming) pull_stream();
  if (out_.empty() && (ending_ || cutting_)) finish_response(now);  // It ended without a byte.
  std::string piece = std::exchange(out_, {});
  if (!piece.empty()) {
    sending_ = true;
    send_deadline_ = now + options_.request_time;
  }
  return piece;
}

void HttpConnection::sent(Time now) {
  sending_ = false;
  send_deadline_ = Time::max();
  if (out_.empty() && (ending_ || cutting_)) finish_response(now);
}

void HttpConnection::finish_response(Time now) {
  const bool cut = cutting_;
  abandon();
  if (cut) return close(Fate::kClose);
  if (!keep_alive_) return end(now);
  state_ = State::kIdle;
  state_deadline_ = now + options_.idle_time;
  if (draining_) return end(now);
  start_reading(now);
  if (state_ == State::kReading) read_request();
  if (state_ == State::kIdle && peer_ended_) close(Fate::kClose);
}

/// A large list is not kept while the connection rests, nor is a stream's place in the store.
void HttpConnection::abandon() {
  response_ = {};
  ending_ = cutting_ = readable_ = false;
}

void HttpConnection::end(Time now) {
  if (peer_ended_ || draining_) return close(Fate::kClose);
  in_ = {};
  state_ = State::kLingering;
  fate_ = Fate::kHalfClose;
  state_deadline_ = now + kLingerTime;
}

void HttpConnection::close(Fate fate) {
  abandon();
  out_ = in_ = {};
  state_ = State::kClosed;
  fate_ = fate;
}

void HttpConnection::wake() { readable_ = true; }

void HttpConnection::tick(Time now) {
  if (sending_ && now >= send_deadline_) return close(Fate::kClose);
  switch (state_) {
    case State::kDelayed:
      if (now >= state_deadline_) begin_response();
      return;
    case State::kIdle:
    case State::kReading:
    case State::kLingering:
      if (now >= state_deadline_) close(Fate::kClose);
      return;
    case State::kStreaming:
      if (response_.stream && now >= response_.stream->next_read()) readable_ = true;
      return;
    default:
      return;
  }
}

void HttpConnection::drain() {
  draining_ = true;
  switch (state_) {
    case State::kStreaming:
      if (response_.stream && framing_ == Framing::kChunked) out_ += "0\r\n\r\n";
      response_.stream.reset();
      ending_ = true;
      keep_alive_ = false;
      return;
    case State::kAnswering:
      keep_alive_ = false;
      return;
    case State::kClosed:
      return;
    default:
      close(Fate::kClose);
  }
}

bool HttpConnection::wants_input() const {
  if (peer_ended_ || state_ == State::kClosed) return false;
  return state_ == State::kIdle || state_ == State::kReading || state_ == State::kLingering ||
         in_.size() < kAheadMax;
}

Time HttpConnection::deadline() const {
  Time next = send_deadline_;
  const bool timed = state_ == State::kIdle || state_ == State::kReading ||
                     state_ == State::kDelayed || state_ == State::kLingering;
  if (timed) next = std::min(next, state_deadline_);
  if (state_ == State::kStreaming && !readable_ && response_.stream) {
    next = std::min(next, response_.stream->next_read());
  }
  return next;
}

}  // namespace davit

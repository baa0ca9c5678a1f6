#include "lib/net/http_connection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/lower_case.hpp"

namespace davit {
namespace {

/// The most bytes that a pipelining client may send ahead while a response is in progress.
constexpr std::size_t kAheadMax = std::size_t{64} << 10U;
/// A piece of a stream: large enough to be cheap, small enough that a slow client holds little.
constexpr std::size_t kStreamPiece = std::size_t{64} << 10U;
/// As net/http waits after a refusal.
constexpr Duration kLingerTime = std::chrono::milliseconds(500);
constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// No response may end its own head, whatever an object's text has in it.
void append_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out += (byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c;
  }
  out += "\r\n";
}

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

/// Whether a client with our own limits would refuse the head. What is not counted here is short.
bool has_too_long_head(const HttpServerResponse& response) {
  constexpr std::size_t kForTheRest = 1024;
  constexpr std::size_t kFieldsForTheRest = 4;
  std::size_t bytes = response.content_type.size() + kForTheRest;
  for (const auto& [name, value] : response.headers) bytes += name.size() + value.size() + 4;
  return bytes > kHttpHeadBytesMax || response.headers.size() + kFieldsForTheRest > kHttpFieldsMax;
}

/// Adds the headers that `headers` does not have.
void complete(HttpHeaders& headers, const HttpHeaders& common) {
  for (const auto& each : common) {
    const bool has_one = std::any_of(headers.begin(), headers.end(), [&each](const auto& header) {
      return lower_case(header.first) == lower_case(each.first);
    });
    if (!has_one) headers.push_back(each);
  }
}

bool same_header(std::string_view a, std::string_view b) {
  return a.size() == b.size() && lower_case(std::string(a)) == lower_case(std::string(b));
}

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
      state_(Idle{now + options.idle_time}) {}

void HttpConnection::receive(std::string_view bytes, Time now) {
  if (is<Lingering>() || is<Closed>()) return;
  in_ += bytes;
  step(now);
}

void HttpConnection::receive_end() {
  peer_ended_ = true;
  if (is<Reading>() && send_deadline_) return;  // "100 Continue" leaves; the deadline ends it.
  if (auto* const delayed = std::get_if<Delayed>(&state_)) {
    delayed->reply.after = After::kClose;  // A client that half-closed gets its response.
  } else if (auto* const responding = std::get_if<Responding>(&state_)) {
    responding->reply.after = After::kClose;
  } else if (is<Tunnelling>()) {
    // The tunnel still gets the rest of its bytes.
  } else {
    close(SocketAction::kClose);  // The client no longer reads a stream.
  }
}

void HttpConnection::step(Time now) {
  while (std::visit([&](auto& state) { return advance(state, now); }, state_)) {
  }
}

bool HttpConnection::advance(const Idle&, Time now) {
  if (in_.empty()) return false;
  state_.emplace<Reading>(options_, now + options_.request_time);
  return true;
}

bool HttpConnection::advance(Reading& state, Time now) {
  if (in_.size() == state.seen) return false;
  const RequestReader::State before = state.reader.state();
  const RequestReader::State after = state.reader.read(in_);
  state.seen = in_.size();
  if (after == RequestReader::State::kHead) return false;
  if (after == RequestReader::State::kBody) {
    if (before == RequestReader::State::kHead && state.reader.expects_continue() && in_.empty()) {
      out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    return false;
  }
  const bool is_refused =
      after == RequestReader::State::kTooLarge && options_.large_body == LargeBody::kRefuse;
  Reply reply = after == RequestReader::State::kBad ? refusal(state.reader.refusal())
                : is_refused                        ? refusal(413)
                                                    : respond(state.reader);
  if (peer_ended_) reply.after = After::kClose;
  state_.emplace<Delayed>(Delayed{std::move(reply), now});
  return true;
}

HttpConnection::Reply HttpConnection::respond(RequestReader& reader) {
  HttpServerRequest request = reader.take();
  Reply reply;
  if (!reader.keep_alive() || request.body_too_large) reply.after = After::kLinger;
  reply.old_version = reader.old_version();
  reply.head_only = request.method == "HEAD";
  request.peer = peer_;
  if (!client_.empty()) add_client(request.headers);
  reply.response = handler_(request);
  return reply;
}

/// Several headers of the name become one.
void HttpConnection::add_client(HttpHeaders& headers) const {
  static constexpr std::string_view kName = "X-Forwarded-For";
  const auto is_it = [](const auto& header) { return same_header(header.first, kName); };
  std::string chain;
  for (const auto& each : headers) {
    if (is_it(each) && !each.second.empty()) chain += each.second + ", ";
  }
  std::erase_if(headers, is_it);
  headers.emplace_back(kName, chain + client_);
}

HttpConnection::Reply HttpConnection::refusal(int status) {
  Reply reply;
  reply.after = After::kLinger;
  reply.response.status = status;
  reply.response.body = std::to_string(status) + " " + std::string(reason_phrase(status)) + "\n";
  return reply;
}

bool HttpConnection::advance(Delayed& state, Time now) {
  if (now < state.deadline) return false;
  HttpServerResponse& response = state.reply.response;
  if (response.deferred) {
    std::optional<HttpServerResponse> known = response.deferred->take();
    if (!known) {
      state.deadline = response.deferred->next_take();
      return false;
    }
    response = std::move(*known);
  }
  complete(response.headers, options_.common_headers);
  if (response.aborted) {
    close(SocketAction::kReset);
  } else if (has_too_long_head(response)) {
    Reply refused = refusal(500);
    complete(refused.response.headers, options_.common_headers);
    refused.head_only = state.reply.head_only;
    begin_response(std::move(refused));
  } else {
    begin_response(std::move(state.reply));
  }
  return true;
}

void HttpConnection::begin_response(Reply reply) {
  if (reply.response.status == kSwitchingProtocols) return begin_tunnel(std::move(reply));
  write_head(reply);
  const bool has_body = may_have_body(reply.response.status) && !reply.head_only;
  if (!has_body) reply.response.stream.reset();
  const std::string piece = has_body ? std::exchange(reply.response.body, {}) : std::string();
  if (!reply.response.stream) {
    out_ += piece;
    state_.emplace<Responding>(Responding{std::move(reply)});
    return;
  }
  append_chunk(reply, piece);
  const Streaming& streaming = state_.emplace<Streaming>(Streaming{std::move(reply)});
  streaming.reply.response.stream->on_ready(wake_);
}

void HttpConnection::begin_tunnel(Reply reply) {
  std::unique_ptr<HttpBodyStream> stream = std::move(reply.response.stream);
  auto* const tunnel = dynamic_cast<HttpTunnel*>(stream.get());
  if (tunnel == nullptr) {
    Reply refused = refusal(500);
    refused.head_only = reply.head_only;
    return begin_response(std::move(refused));
  }
  reply.after = After::kNextRequest;  // Its own headers say what becomes of the connection.
  reply.old_version = false;
  write_head(reply);
  tunnel->on_ready(wake_);
  state_.emplace<Tunnelling>(Tunnelling{std::move(stream), tunnel});
}

void HttpConnection::write_head(Reply& reply) {
  const HttpServerResponse& response = reply.response;
  const bool has_body = may_have_body(response.status);
  const bool ends_with_connection = has_body && response.stream && reply.old_version;
  if (ends_with_connection && reply.after == After::kNextRequest) reply.after = After::kLinger;
  out_ += "HTTP/1.1 " + std::to_string(response.status) + " ";
  append_value(out_, reason_phrase(response.status));
  if (has_body) {
    out_ += "Content-Type: ";
    append_value(out_, response.content_type);
  }
  for (const auto& [key, value] : response.headers) {
    out_ += key + ": ";
    append_value(out_, value);
  }
  if (reply.after != After::kNextRequest) {
    out_ += "Connection: close\r\n";
  } else if (reply.old_version) {
    out_ += "Connection: keep-alive\r\n";
  }
  if (has_body && response.stream) {
    out_ += reply.old_version ? "" : "Transfer-Encoding: chunked\r\n";
  } else if (has_body) {
    out_ += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  out_ += "\r\n";
}

void HttpConnection::append_chunk(const Reply& reply, std::string_view piece) {
  if (piece.empty()) return;
  if (reply.old_version) {
    out_ += piece;
    return;
  }
  out_ += hex(piece.size());
  out_ += "\r\n";
  out_ += piece;
  out_ += "\r\n";
}

void HttpConnection::pull(Streaming& state) {
  std::unique_ptr<HttpBodyStream>& stream = state.reply.response.stream;
  if (!state.readable || !stream) return;
  std::string piece;
  const HttpBodyStream::State read = stream->read(piece, kStreamPiece);
  if (piece.empty() && read == HttpBodyStream::State::kOpen) state.readable = false;
  append_chunk(state.reply, piece);
  if (read == HttpBodyStream::State::kCut) {
    state.tail = Tail::kCut;
  } else if (read == HttpBodyStream::State::kEnded) {
    if (!state.reply.old_version) out_ += kLastChunk;
    state.tail = Tail::kNothing;
  } else {
    return;
  }
  stream.reset();
}

void HttpConnection::pull(Tunnelling& state) {
  if (!state.readable || state.ended) return;
  const HttpBodyStream::State read = state.tunnel->read(out_, kStreamPiece);
  if (read != HttpBodyStream::State::kOpen) {
    state.ended = true;
  } else if (out_.empty()) {
    state.readable = false;
  }
}

std::string HttpConnection::output(Time now) {
  if (send_deadline_ || is<Closed>()) return {};
  step(now);
  if (auto* const tunnelling = std::get_if<Tunnelling>(&state_); tunnelling && out_.empty()) {
    pull(*tunnelling);
    step(now);
  }
  if (auto* const streaming = std::get_if<Streaming>(&state_); streaming && out_.empty()) {
    pull(*streaming);
    step(now);  // It may have ended without a byte.
  }
  std::string piece = std::exchange(out_, {});
  // The program behind a tunnel decides how long a client may pause.
  if (!piece.empty()) {
    send_deadline_ = is<Tunnelling>() ? Time::max() : now + options_.request_time;
  }
  return piece;
}

void HttpConnection::sent(Time now) {
  send_deadline_.reset();
  step(now);
}

bool HttpConnection::advance(const Responding& state, Time now) {
  return finish(Tail::kNothing, state.reply.after, now);
}

bool HttpConnection::advance(const Streaming& state, Time now) {
  return finish(state.tail, state.reply.after, now);
}

bool HttpConnection::advance(Tunnelling& state, Time now) {
  if (!in_.empty() && state.tunnel->wants_input()) {
    state.tunnel->receive(in_);
    in_ = std::string();
  }
  if (peer_ended_ && in_.empty() && !std::exchange(state.knows_end, true)) {
    state.tunnel->receive_end();
    state.readable = true;
  }
  if (!state.ended || send_deadline_ || !out_.empty()) return false;
  in_ = std::string();
  state_.emplace<Lingering>(Lingering{now + kLingerTime});
  return true;
}

/// A large list or head is not kept while the connection is idle, nor is a stream's place in the
/// store. Assigning {} to a string would keep its memory.
bool HttpConnection::finish(Tail tail, After after, Time now) {
  if (send_deadline_ || !out_.empty() || tail == Tail::kStream) return false;
  if (tail == Tail::kCut) after = After::kClose;
  switch (after) {
    case After::kNextRequest:
      state_.emplace<Idle>(Idle{now + options_.idle_time});
      if (in_.empty()) in_ = std::string();
      break;
    case After::kLinger:
      in_ = std::string();
      state_.emplace<Lingering>(Lingering{now + kLingerTime});
      break;
    case After::kClose:
      close(SocketAction::kClose);
      break;
  }
  return true;
}

void HttpConnection::close(SocketAction action) {
  in_ = std::string();
  out_ = std::string();
  state_.emplace<Closed>(Closed{action});
}

void HttpConnection::wake() {
  if (auto* const streaming = std::get_if<Streaming>(&state_)) streaming->readable = true;
  if (auto* const tunnelling = std::get_if<Tunnelling>(&state_)) tunnelling->readable = true;
}

void HttpConnection::tick(Time now) {
  if (send_deadline_ && now >= *send_deadline_) return close(SocketAction::kClose);
  if (waits_for_client() && now >= state_deadline()) return close(SocketAction::kClose);
  if (auto* const streaming = std::get_if<Streaming>(&state_)) {
    const std::unique_ptr<HttpBodyStream>& stream = streaming->reply.response.stream;
    if (stream && now >= stream->next_read()) streaming->readable = true;
  }
  if (auto* const tunnelling = std::get_if<Tunnelling>(&state_)) {
    if (now >= tunnelling->tunnel->next_read()) tunnelling->readable = true;
  }
  step(now);
}

void HttpConnection::drain() {
  if (auto* const responding = std::get_if<Responding>(&state_)) {
    responding->reply.after = After::kClose;
  } else if (auto* const streaming = std::get_if<Streaming>(&state_)) {
    if (streaming->tail == Tail::kStream) {
      if (!streaming->reply.old_version) out_ += kLastChunk;
      streaming->reply.response.stream.reset();
      streaming->tail = Tail::kNothing;
    }
    streaming->reply.after = After::kClose;
  } else if (!is<Closed>()) {
    close(SocketAction::kClose);
  }
}

HttpConnection::SocketAction HttpConnection::action() const {
  if (const auto* const closed = std::get_if<Closed>(&state_)) return closed->action;
  return is<Lingering>() ? SocketAction::kHalfClose : SocketAction::kOpen;
}

bool HttpConnection::wants_input() const {
  if (peer_ended_ || is<Closed>()) return false;
  if (const auto* const tunnelling = std::get_if<Tunnelling>(&state_)) {
    return in_.empty() && tunnelling->tunnel->wants_input();
  }
  return waits_for_client() || in_.size() < kAheadMax;
}

Time HttpConnection::state_deadline() const {
  return std::visit(
      [](const auto& state) {
        if constexpr (requires { state.deadline; }) return state.deadline;
        return Time::max();
      },
      state_);
}

Time HttpConnection::deadline() const {
  const Time next = std::min(send_deadline_.value_or(Time::max()), state_deadline());
  if (const auto* const tunnelling = std::get_if<Tunnelling>(&state_)) {
    return tunnelling->readable ? next : std::min(next, tunnelling->tunnel->next_read());
  }
  const auto* const streaming = std::get_if<Streaming>(&state_);
  if (streaming == nullptr || streaming->readable || !streaming->reply.response.stream) return next;
  return std::min(next, streaming->reply.response.stream->next_read());
}

}  // namespace davit

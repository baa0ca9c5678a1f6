#include "host/transport/pooled_call.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <memory>
#include <utility>

namespace davit::host {
namespace {

// A TLS record, and what libcurl takes from one read.
constexpr std::size_t kReceiveBytes = 16 * 1024;
// After so many of them the reader's thread comes to use what it has got: a long list does not have
// to fit into memory.
constexpr int kReceivesMax = 4;

}  // namespace

PooledCall::PooledCall(const PooledRoute& route, HttpRequest request,
                       std::shared_ptr<const TlsMaterial> tls, ResponseReader& reader)
    : route_(route),
      request_(std::move(request)),
      tls_(std::move(tls)),
      reader_(reader),
      ends_at_(request_.timeout > Duration::zero() && !mutant("time-limit")
                   ? route.clock.now() + request_.timeout
                   : Time::max()) {
  if (request_.quota != nullptr) share_.emplace(*request_.quota, *request_.loop);
  request_.loop->join(*this);
}

// A connection in the middle of a request is closed with it.
PooledCall::~PooledCall() { request_.loop->leave(*this); }

bool PooledCall::is_sent() const {
  return phase_ == Phase::kEnded || phase_ == Phase::kReceiving || phase_ == Phase::kPaused ||
         (phase_ == Phase::kSending && unsent_.size() < wire_.size());
}

void PooledCall::drop() {
  dropped_ = true;
  request_.loop->ring();
}

void PooledCall::resume() {
  resumed_ = true;
  request_.loop->ring();
}

void PooledCall::drive(std::span<const pollfd> ready, Time now) {
  if (dropped_ && phase_ != Phase::kEnded) {
    end({Break::kReset, "the client certificate was replaced"});
    return;
  }
  if (now >= ends_at_ && phase_ != Phase::kEnded) {
    end({Break::kTimeout, "the server took too long to respond"});
    return;
  }
  goes_on_ = false;
  while (step(std::exchange(ready, {}), now)) {
  }
}

void PooledCall::poll_for(std::vector<pollfd>& out) const {
  switch (phase_) {
    case Phase::kConnecting:
      return connection_->poll_for_connect(out);
    case Phase::kSending:  // The response may arrive before the whole request was sent.
      out.push_back({connection_->descriptor(), POLLIN | POLLOUT, 0});
      return;
    case Phase::kReceiving:
      out.push_back({connection_->descriptor(), POLLIN, 0});
      return;
    case Phase::kQueued:  // The quota rings.
    case Phase::kPaused:  // resume() does. TCP makes the server wait.
    case Phase::kEnded:
      return;
  }
}

Time PooledCall::due() const {
  if (phase_ == Phase::kEnded) return Time::max();
  if (goes_on_) return Time{};
  return phase_ == Phase::kConnecting ? std::min(connection_->connect_due(), ends_at_) : ends_at_;
}

std::optional<DrivenRequest::SteadyWait> PooledCall::steady_wait() const {
  if (phase_ != Phase::kReceiving || goes_on_) return std::nullopt;
  return SteadyWait{connection_->descriptor(), connections_, ends_at_};
}

bool PooledCall::step(std::span<const pollfd> ready, Time now) {
  switch (phase_) {
    case Phase::kQueued:
      if (share_ && !share_->granted()) return false;
      take_connection(Reuse::kAllowed, now);
      return true;
    case Phase::kConnecting:
      if (connection_->state() == PooledConnection::State::kConnecting) {
        connection_->connect(ready, now);
      }
      if (connection_->state() == PooledConnection::State::kConnecting) return false;
      if (connection_->state() == PooledConnection::State::kFailed) {
        return end(connection_->failure());
      }
      return open_gate(now);
    case Phase::kSending:
      return send(now);
    case Phase::kReceiving:
      return receive(now);
    case Phase::kPaused:
      if (!resumed_.exchange(false)) return false;
      phase_ = unsent_.empty() ? Phase::kReceiving : Phase::kSending;
      return follow(response_->resume(), now);
    case Phase::kEnded:
      break;
  }
  return false;
}

void PooledCall::take_connection(Reuse reuse, Time now) {
  connection_.reset();
  ++connections_;
  phase_ = Phase::kConnecting;
  while (reuse == Reuse::kAllowed) {
    connection_ = route_.pool.take(tls_, now);
    if (connection_ == nullptr) break;
    reused_ = true;
    if (connection_->is_usable()) return;
    connection_.reset();
  }
  reused_ = false;
  connection_ = std::make_unique<PooledConnection>(route_.settings, tls_, route_.tls, now);
}

// The last moment before bytes go out. An unused connection serves the next request.
bool PooledCall::open_gate(Time now) {
  if (request_.gate) {
    if (const Status open = request_.gate(); !open.ok()) {
      route_.pool.put(std::move(connection_), now);
      return end({Break::kGate, open.message()});
    }
  }
  Result<std::string> wire = http1_request(request_, route_.http);
  if (!wire) {
    route_.pool.put(std::move(connection_), now);
    return end({Break::kOther, wire.error().message()});
  }
  wire_ = *std::move(wire);
  unsent_ = wire_;
  response_.emplace(reader_,
                    request_.method == "HEAD" ? ResponseBody::kNever : ResponseBody::kPossible,
                    route_.http);
  phase_ = Phase::kSending;
  return true;
}

bool PooledCall::send(Time now) {
  switch (connection_->send(unsent_)) {
    case PooledConnection::Io::kSome:
      if (unsent_.empty()) phase_ = Phase::kReceiving;
      return !unsent_.empty();  // A response cannot be there yet: poll() comes before receiving.
    case PooledConnection::Io::kBlocked:
      return receive(now);
    case PooledConnection::Io::kClosed:
      break;
  }
  if (unsent_.size() == wire_.size()) return peer_closed(now);
  // The server may have responded early and closed; its response may still be there to read.
  phase_ = Phase::kReceiving;
  return true;
}

bool PooledCall::receive(Time now) {
  // Not on the stack: the threads of idle watches would keep its pages for good.
  const auto memory = std::make_unique_for_overwrite<char[]>(kReceiveBytes);
  const std::span<char> buffer(memory.get(), kReceiveBytes);
  for (int receives = 0; receives < kReceivesMax; ++receives) {
    std::string_view got;
    switch (connection_->receive(buffer, got)) {
      case PooledConnection::Io::kBlocked:
        return false;
      case PooledConnection::Io::kClosed:
        return peer_closed(now);
      case PooledConnection::Io::kSome:
        break;
    }
    if (!follow(response_->feed(got), now)) return phase_ == Phase::kPaused && resumed_;
  }
  goes_on_ = true;
  return false;
}

bool PooledCall::follow(Http1Response::State state, Time now) {
  switch (state) {
    case Http1Response::State::kMore:
      return true;
    case Http1Response::State::kPaused:
      phase_ = Phase::kPaused;
      return false;
    case Http1Response::State::kDone:
      return complete(now);
    case Http1Response::State::kBroken:
      return end(response_->end());
  }
  return false;
}

// A write may have been carried out before the connection went down, and a second POST would make a
// second object; one of which no byte was sent cannot.
bool PooledCall::may_repeat() const {
  const bool changes_nothing = request_.method == "GET" || request_.method == "HEAD";
  const bool untouched = unsent_.size() == wire_.size();
  return reused_ && !replaced_ && !response_->began() && (changes_nothing || untouched);
}

bool PooledCall::peer_closed(Time now) {
  if (may_repeat()) {
    replaced_ = true;
    take_connection(Reuse::kForbidden, now);  // The other idle ones are stale as well, probably.
    return true;
  }
  const bool orderly = connection_->why().empty();
  if (orderly && response_->finish() == Http1Response::State::kDone) return complete(now);
  if (orderly) return end(response_->end());
  return end({Break::kReset, connection_->why()});
}

bool PooledCall::complete(Time now) {
  if (unsent_.empty() && response_->keeps_connection()) {
    route_.pool.put(std::move(connection_), now);
  }
  return end({});
}

// The share is given back before the reader is called, so that its next request finds it.
bool PooledCall::end(const TransportEnd& end) {
  phase_ = Phase::kEnded;
  const TransportEnd said = end;  // It may belong to what goes now.
  connection_.reset();
  share_.reset();
  reader_.on_end(said);
  return false;
}

}  // namespace davit::host

#include "sandbox/client/in_process_transport.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::sandbox {
namespace {

using Flow = ResponseReader::Flow;

/// The size of a socket's buffer.
constexpr std::size_t kPieceBytes = 256 * 1024;

bool plain(const HttpServerResponse& response) {
  return response.stream == nullptr && response.deferred == nullptr && !response.aborted;
}

}  // namespace

HttpServerRequest to_server_request(HttpRequest request) {
  HttpServerRequest out;
  out.method = std::move(request.method);
  out.target = std::move(request.target);
  out.headers = std::move(request.headers);
  out.body = std::move(request.body);
  return out;
}

void deliver_head(const HttpServerResponse& response, ResponseReader& reader) {
  HttpHeaders headers;
  headers.emplace_back("content-type", response.content_type);
  for (const auto& [name, value] : response.headers) headers.emplace_back(lower_case(name), value);
  reader.on_head(response.status, headers);
}

class InProcessTransport::Started final : public davit::Call {
 public:
  /// Without an id the response was given already.
  Started(InProcessTransport& transport, std::optional<Id> id) : transport_(transport), id_(id) {}
  ~Started() override {
    if (id_) transport_.cancel(*id_);
  }
  void resume() override {
    if (id_) transport_.resume(*id_);
  }

 private:
  InProcessTransport& transport_;
  const std::optional<Id> id_;
};

Result<std::unique_ptr<InProcessTransport>> InProcessTransport::open(HttpHandler& handler,
                                                                     Clock& clock) {
  auto transport = std::make_unique<InProcessTransport>(handler, clock);
  if (!start_thread(transport->thread_, "transport", [at = transport.get()] { at->run(); })) {
    return Status(Code::kUnavailable,
                  "cannot connect to the sandbox: cannot start a thread to read responses");
  }
  return transport;
}

InProcessTransport::~InProcessTransport() {
  {
    MutexLock lock(mutex_);
    DAVIT_ASSERT(deliveries_.empty());
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<davit::Call> InProcessTransport::start(HttpRequest request,
                                                       ResponseReader& reader) {
  if (request.gate) {
    if (const Status open = request.gate(); !open.ok()) {
      reader.on_end({Break::kGate, open.message()});
      return std::make_unique<Started>(*this, std::nullopt);
    }
  }
  const Duration timeout = request.timeout;
  HttpServerRequest received = to_server_request(std::move(request));
  if (!token_.empty() && received.header("Authorization").empty()) {
    received.headers.emplace_back("Authorization", "Bearer " + token_);
  }
  HttpServerResponse response = handler_.handle(received);
  if (plain(response)) {
    deliver_head(response, reader);
    if (response.body.empty() || reader.on_body(response.body) == Flow::kMore) {
      reader.on_end({});
      return std::make_unique<Started>(*this, std::nullopt);
    }
  }
  auto delivery = std::make_unique<Delivery>();
  // The reader already has the head; the rest waits for resume().
  delivery->head_delivered = plain(response);
  delivery->paused = delivery->head_delivered;
  delivery->reader = &reader;
  if (timeout > Duration{0}) delivery->gives_up = clock_.now() + timeout;
  delivery->response = std::move(response);
  Id id = 0;
  {
    MutexLock lock(mutex_);
    id = ++last_id_;
  }
  // Before pump() can see it: a stream is for one thread at a time.
  follow(id, *delivery);
  MutexLock lock(mutex_);
  deliveries_.emplace(id, std::move(delivery));
  ready_.insert(id);
  changed_.notify_all();
  return std::make_unique<Started>(*this, id);
}

void InProcessTransport::follow(Id id, Delivery& delivery) {
  HttpServerResponse& response = delivery.response;
  delivery.due = clock_.now();
  if (response.deferred) {
    delivery.due = std::min(response.deferred->next_take(), delivery.gives_up);
    return;
  }
  delivery.unread = std::move(response.body);
  if (response.stream) response.stream->on_ready([this, id] { mark_ready(id); });
}

bool InProcessTransport::resolve(Id id, Delivery& delivery) {
  if (!delivery.response.deferred) return true;
  std::optional<HttpServerResponse> known = delivery.response.deferred->take();
  if (known) {
    DAVIT_ASSERT(known->deferred == nullptr);
    delivery.response = std::move(*known);
  }
  follow(id, delivery);
  return known.has_value();
}

Time InProcessTransport::next_step(const Delivery& delivery) {
  if (delivery.paused) return Time::max();
  if (!delivery.head_delivered) return delivery.due;
  const HttpBodyStream* stream = delivery.response.stream.get();
  return stream ? std::min(stream->next_read(), delivery.gives_up) : Time::max();
}

void InProcessTransport::mark_ready(Id id) {
  MutexLock lock(mutex_);
  ready_.insert(id);
  changed_.notify_all();
}

void InProcessTransport::resume(Id id) {
  MutexLock lock(mutex_);
  const auto found = deliveries_.find(id);
  if (found == deliveries_.end()) return;
  found->second->paused = false;
  ready_.insert(id);
  changed_.notify_all();
}

void InProcessTransport::cancel(Id id) {
  std::unique_ptr<Delivery> gone;  // Destroyed outside the mutex: its stream may call back.
  MutexLock lock(mutex_);
  while (busy_ == id) changed_.wait(mutex_);
  const auto found = deliveries_.find(id);
  if (found == deliveries_.end()) return;
  gone = std::move(found->second);
  deliveries_.erase(found);
  ready_.erase(id);
}

std::optional<InProcessTransport::Id> InProcessTransport::take_ready() {
  MutexLock lock(mutex_);
  const Time now = clock_.now();
  while (!ready_.empty()) {
    const Id id = *ready_.begin();
    ready_.erase(ready_.begin());
    const auto found = deliveries_.find(id);
    if (found == deliveries_.end() || found->second->paused) continue;
    if (!found->second->head_delivered && found->second->due > now) continue;
    return busy_ = id;
  }
  for (const auto& [id, delivery] : deliveries_) {
    if (next_step(*delivery) <= now) return busy_ = id;
  }
  return std::nullopt;
}

bool InProcessTransport::pump() {
  bool any = false;
  // Each is looked at once: a stream that is always ready must not keep the caller here.
  for (std::optional<Id> id = take_ready(); id; id = take_ready()) {
    any = true;
    Delivery* delivery = nullptr;
    {
      MutexLock lock(mutex_);
      delivery = deliveries_.at(*id).get();
    }
    done(*id, deliver(*id, *delivery));
  }
  return any;
}

void InProcessTransport::done(Id id, bool ended) {
  std::unique_ptr<Delivery> gone;
  MutexLock lock(mutex_);
  busy_.reset();
  if (ended) {
    gone = std::move(deliveries_.at(id));
    deliveries_.erase(id);
    ready_.erase(id);
  }
  changed_.notify_all();
}

bool InProcessTransport::deliver(Id id, Delivery& delivery) {
  ResponseReader& reader = *delivery.reader;
  if (!delivery.head_delivered && resolve(id, delivery)) {
    if (delivery.response.aborted) {
      reader.on_end({Break::kReset, "connection reset"});
      return true;
    }
    delivery.head_delivered = true;
    deliver_head(delivery.response, reader);
  }
  if (delivery.head_delivered && deliver_body(id, delivery)) return true;
  if (clock_.now() < delivery.gives_up) return false;
  reader.on_end({Break::kTimeout, "no response in time"});
  return true;
}

bool InProcessTransport::deliver_body(Id id, Delivery& delivery) {
  HttpBodyStream* stream = delivery.response.stream.get();
  ResponseReader& reader = *delivery.reader;
  for (;;) {
    if (delivery.unread.empty() && stream != nullptr &&
        delivery.state == HttpBodyStream::State::kOpen) {
      delivery.state = stream->read(delivery.unread, kPieceBytes);
    }
    if (!delivery.unread.empty()) {
      if (reader.on_body(delivery.unread) == Flow::kPause) {
        MutexLock lock(mutex_);
        // resume() may have come on another thread already; it then has put the id among the ready.
        if (!ready_.contains(id)) delivery.paused = true;
        return false;
      }
      delivery.unread.clear();
      if (stream != nullptr && delivery.state == HttpBodyStream::State::kOpen) continue;
    }
    if (stream != nullptr && delivery.state == HttpBodyStream::State::kOpen) return false;
    const bool whole = delivery.state != HttpBodyStream::State::kCut;
    reader.on_end(whole ? TransportEnd{}
                        : TransportEnd{Break::kReset, "connection closed within the body"});
    return true;
  }
}

Time InProcessTransport::next_due() const {
  Time next = Time::max();
  for (const auto& [id, delivery] : deliveries_) {
    if (busy_ != id) next = std::min(next, next_step(*delivery));
  }
  return next;
}

Time InProcessTransport::next_pump() {
  MutexLock lock(mutex_);
  return next_due();
}

void InProcessTransport::run() {
  for (;;) {
    if (pump()) continue;
    MutexLock lock(mutex_);
    while (ready_.empty() && !stopping_) {
      const Time next = next_due();
      if (clock_.now() >= next) break;
      clock_.wait_until(changed_, mutex_, next);
    }
    if (stopping_) return;
  }
}

}  // namespace davit::sandbox

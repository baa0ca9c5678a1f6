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

Duration transfer_time(const HttpServerResponse& response) {
  const std::size_t speed = response.fault.bytes_per_second;
  if (speed == 0) return Duration{0};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
      static_cast<double>(response.body.size()) / static_cast<double>(speed)));
}

bool plain(const HttpServerResponse& response) {
  return response.stream == nullptr && response.deferred == nullptr && !response.fault.cut_after &&
         !response.fault.reset && response.fault.delay == Duration{0} &&
         response.fault.bytes_per_second == 0;
}

}  // namespace

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
                  "cannot connect to the sandbox: the system has no thread to read responses on");
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

HttpServerRequest InProcessTransport::to_request(HttpRequest request) const {
  HttpServerRequest out;
  out.method = std::move(request.method);
  out.target = std::move(request.target);
  out.headers = std::move(request.headers);
  out.body = std::move(request.body);
  if (!token_.empty() && out.header("Authorization").empty()) {
    out.headers.emplace_back("Authorization", "Bearer " + token_);
  }
  return out;
}

void InProcessTransport::deliver_head(const HttpServerResponse& response, ResponseReader& reader) {
  HttpHeaders headers;
  headers.emplace_back("content-type", response.content_type);
  for (const auto& [name, value] : response.headers) headers.emplace_back(lower_case(name), value);
  reader.on_head(response.status, headers);
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
  HttpServerResponse response = handler_.handle(to_request(std::move(request)));
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
  plan(*delivery);
  Id id = 0;
  {
    MutexLock lock(mutex_);
    id = ++last_id_;
  }
  // Before pump() can see it: a stream is for one thread at a time.
  if (HttpBodyStream* stream = delivery->response.stream.get()) {
    stream->on_ready([this, id] { mark_ready(id); });
  }
  MutexLock lock(mutex_);
  deliveries_.emplace(id, std::move(delivery));
  ready_.insert(id);
  changed_.notify_all();
  return std::make_unique<Started>(*this, id);
}

void InProcessTransport::plan(Delivery& delivery) const {
  HttpServerResponse& response = delivery.response;
  delivery.due = response.deferred ? response.deferred->next_take()
                                   : clock_.now() + response.fault.delay + transfer_time(response);
  delivery.times_out = delivery.due > delivery.gives_up;
  delivery.due = std::min(delivery.due, delivery.gives_up);
  if (!response.deferred) delivery.unread = std::move(response.body);
}

bool InProcessTransport::resolve(Delivery& delivery) const {
  HttpServerResponse& response = delivery.response;
  if (!response.deferred) return true;
  if (std::optional<HttpServerResponse> known = response.deferred->take()) {
    DAVIT_ASSERT(known->stream == nullptr && known->deferred == nullptr);
    known->fault = response.fault;
    response = std::move(*known);
  }
  plan(delivery);
  return !response.deferred && delivery.due <= clock_.now();
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
    if (delivery->paused) continue;
    const bool due = delivery->head_delivered ? delivery->response.stream &&
                                                    delivery->response.stream->next_read() <= now
                                              : delivery->due <= now;
    if (due) return busy_ = id;
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
  if (!delivery.head_delivered) {
    if (delivery.times_out) {
      reader.on_end({Break::kTimeout, "no response in time"});
      return true;
    }
    if (!resolve(delivery)) return false;
    if (delivery.response.fault.reset) {
      reader.on_end({Break::kReset, "connection reset"});
      return true;
    }
    delivery.head_delivered = true;
    deliver_head(delivery.response, reader);
  }
  return deliver_body(id, delivery);
}

bool InProcessTransport::deliver_body(Id id, Delivery& delivery) {
  HttpBodyStream* stream = delivery.response.stream.get();
  ResponseReader& reader = *delivery.reader;
  for (;;) {
    if (delivery.unread.empty() && stream != nullptr &&
        delivery.state == HttpBodyStream::State::kOpen) {
      delivery.state = stream->read(delivery.unread, kPieceBytes);
    }
    const auto cut = delivery.response.fault.cut_after;
    if (cut) delivery.unread.resize(std::min(delivery.unread.size(), *cut - delivery.delivered));
    if (!delivery.unread.empty()) {
      if (reader.on_body(delivery.unread) == Flow::kPause) {
        MutexLock lock(mutex_);
        // resume() may have come on another thread already; it then has put the id among the ready.
        if (!ready_.contains(id)) delivery.paused = true;
        return false;
      }
      delivery.delivered += delivery.unread.size();
      delivery.unread.clear();
      if (stream != nullptr && delivery.state == HttpBodyStream::State::kOpen && !cut) continue;
    }
    if (cut && delivery.delivered >= *cut) {
      reader.on_end({Break::kReset, "connection closed within the body"});
      return true;
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
    if (delivery->paused || busy_ == id) continue;
    if (!delivery->head_delivered) {
      next = std::min(next, delivery->due);
    } else if (delivery->response.stream) {
      next = std::min(next, delivery->response.stream->next_read());
    }
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

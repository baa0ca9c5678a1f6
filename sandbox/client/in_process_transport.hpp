/// A Transport to an HttpHandler in the same process: the whole host without a socket.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"

namespace davit::sandbox {

/// `request` as a server in this process receives it.
[[nodiscard]] HttpServerRequest to_server_request(HttpRequest request);
/// Gives `reader` the head of `response` as a connection would.
void deliver_head(const HttpServerResponse& response, ResponseReader& reader);

/// Requests are handled on the thread that sends them, and plain responses arrive while start()
/// runs. Watches and deferred responses come from pump(), called by a thread of the transport's own
/// or by its owner, who then has everything on one thread and a clock of his choice. Thread-safe.
class InProcessTransport final : public Transport {
 public:
  /// Its owner calls pump(). Both references must outlive it.
  InProcessTransport(HttpHandler& handler, Clock& clock) : handler_(handler), clock_(clock) {}
  /// Starts a thread that calls pump(). kUnavailable: the system has no thread for it.
  [[nodiscard]] static Result<std::unique_ptr<InProcessTransport>> open(HttpHandler& handler,
                                                                        Clock& clock);
  /// No call may be left.
  ~InProcessTransport() override;

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override
      EXCLUDES(mutex_);
  [[nodiscard]] std::string_view server() const override { return "http://sandbox"; }

  /// Sets the token of requests that have none. Call it before the first request.
  void set_bearer_token(std::string token) { token_ = std::move(token); }

  /// Hands out what is ready or due; says whether there was anything. From one thread at a time.
  bool pump() EXCLUDES(mutex_);
  /// When pump() has something to do if nothing becomes ready before; Time::max(): never.
  [[nodiscard]] Time next_pump() EXCLUDES(mutex_);

 private:
  using Id = std::uint64_t;
  class Started;

  /// A response in progress. Only pump() uses it, except `paused`.
  struct Delivery {
    ResponseReader* reader = nullptr;
    HttpServerResponse response;
    Time gives_up = Time::max();
    Time due{};  ///< When the head, a poll of a deferred response, or the timeout is due.
    bool head_delivered = false;
    bool paused = false;  ///< Guarded by the transport's mutex.
    std::string unread;   ///< Taken from the stream and not by the reader.
    HttpBodyStream::State state = HttpBodyStream::State::kOpen;
  };

  [[nodiscard]] std::optional<Id> take_ready() EXCLUDES(mutex_);
  /// Whether it has ended.
  [[nodiscard]] bool deliver(Id id, Delivery& delivery);
  [[nodiscard]] bool deliver_body(Id id, Delivery& delivery);
  /// Arranges for the next step of a response that has just come.
  void follow(Id id, Delivery& delivery);
  /// Whether the response is known.
  [[nodiscard]] bool resolve(Id id, Delivery& delivery);
  [[nodiscard]] static Time next_step(const Delivery& delivery);
  void done(Id id, bool ended) EXCLUDES(mutex_);
  void mark_ready(Id id) EXCLUDES(mutex_);
  void resume(Id id) EXCLUDES(mutex_);
  void cancel(Id id) EXCLUDES(mutex_);
  [[nodiscard]] Time next_due() const REQUIRES(mutex_);
  void run();

  HttpHandler& handler_;
  Clock& clock_;
  std::string token_;
  Mutex mutex_;
  CondVar changed_;
  Id last_id_ GUARDED_BY(mutex_) = 0;
  std::map<Id, std::unique_ptr<Delivery>> deliveries_ GUARDED_BY(mutex_);
  std::set<Id> ready_ GUARDED_BY(mutex_);
  std::optional<Id> busy_ GUARDED_BY(mutex_);  // The stream that pump() works on outside the mutex.
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace davit::sandbox

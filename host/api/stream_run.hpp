/// One long response, read by its caller as it arrives. Internal to host/api.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/api/rest_parts.hpp"
#include "host/api/retry.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

/// The response of one request, until its caller has read it. If the transport allows it, the
/// reading thread drives the request; other transports fill it on their own threads, which a slow
/// reader delays.
///
/// Thread-safe; only one thread reads.
class StreamBuffer final : public ResponseReader {
 public:
  /// The bytes that a slow reader may leave unread before the server has to wait: enough to keep
  /// both threads busy.
  static constexpr std::size_t kUnreadBytesMax = 256 * 1024;

  struct Head {
    int http_status = 0;
    std::string content_type;
    std::optional<std::uint32_t> retry_after_seconds;
  };

  /// The reader waits in `loop`, which outlives this, until `deadline` at most. Ending the loop
  /// ends all waiting.
  StreamBuffer(RequestLoop& loop, Clock& clock, Time deadline)
      : loop_(loop), clock_(clock), deadline_(deadline) {}

  /// Waits for the head; nothing when the request ended without one, or the loop was stopped.
  [[nodiscard]] std::optional<Head> await_head() EXCLUDES(mutex_);

  enum class Piece { kData, kEnd, kStopped };
  /// Waits for bytes and moves all there are to `out`, which must be empty and keeps its capacity
  /// in circulation.
  [[nodiscard]] Piece await_data(std::string& out, Call& call) EXCLUDES(mutex_);

  /// Once the request has ended.
  [[nodiscard]] TransportEnd end() EXCLUDES(mutex_);

  void on_head(int status, const HttpHeaders& headers) override EXCLUDES(mutex_);
  Flow on_body(std::string_view chunk) override EXCLUDES(mutex_);
  void on_end(const TransportEnd& end) override EXCLUDES(mutex_);

 private:
  /// Waits for a change; false when the loop was stopped. At the deadline the request has ended.
  [[nodiscard]] bool wait() EXCLUDES(mutex_);

  RequestLoop& loop_;
  Clock& clock_;
  const Time deadline_;
  Mutex mutex_;
  std::optional<Head> head_ GUARDED_BY(mutex_);
  std::string unread_ GUARDED_BY(mutex_);
  std::optional<TransportEnd> end_ GUARDED_BY(mutex_);
  bool paused_ GUARDED_BY(mutex_) = false;
};

/// RestClient::stream() for one request.
class StreamRun {
 public:
  StreamRun(RestParts& parts, const ApiRequest& request);

  [[nodiscard]] Status run(const std::stop_token& stop, const RestClient::ChunkSink& sink);

 private:
  [[nodiscard]] Status run_until(const std::stop_token& stop, const RestClient::ChunkSink& sink);
  /// The result of one attempt: the stream's status, or the delay before the next attempt.
  struct Verdict {
    Status status;
    std::optional<Duration> retry_in;
  };
  Verdict attempt(const std::stop_token& stop, const RestClient::ChunkSink& sink);
  Verdict refused(const StreamBuffer::Head& head, std::string body);
  Verdict broken(const TransportEnd& end);
  Status pump(StreamBuffer& buffer, Call& call, const RestClient::ChunkSink& sink);
  Status take_token(const std::stop_token& stop);
  [[nodiscard]] Status stopped() const;

  RestParts& parts_;
  const ApiRequest request_;
  HttpRequest http_;
  int retries_ = 0;
  std::string previous_error_;
};

}  // namespace davit::host

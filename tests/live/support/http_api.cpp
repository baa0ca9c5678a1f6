#include "tests/live/support/http_api.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "host/api/connect.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Collects one response. Thread-safe.
class Collector final : public ResponseReader {
 public:
  void on_head(int status, const HttpHeaders& headers) override {
    MutexLock lock(mutex_);
    reply_.status = status;
    reply_.headers = headers;
  }
  Flow on_body(std::string_view chunk) override {
    MutexLock lock(mutex_);
    reply_.body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd& end) override {
    MutexLock lock(mutex_);
    ended_ = true;
    if (reply_.status == 0) reply_.body = end.message;
  }

  [[nodiscard]] bool ended() const {
    MutexLock lock(mutex_);
    return ended_;
  }
  [[nodiscard]] std::size_t events() const {
    MutexLock lock(mutex_);
    return reply_.events_count();
  }
  [[nodiscard]] checks::Reply reply() const {
    MutexLock lock(mutex_);
    return reply_;
  }

 private:
  mutable Mutex mutex_;
  checks::Reply reply_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
};

constexpr seconds kResponseMax{40};
/// Long enough for an event too many to show itself.
constexpr milliseconds kPropagationDelay{150};

}  // namespace

struct HttpApi::Connection {
  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, 0);
  host::NoRestMetrics metrics;
  std::unique_ptr<Transport> transport;

  std::unique_ptr<davit::Call> start(const std::string& method, const std::string& target,
                                     const checks::Headers& headers, const std::string& body,
                                     Collector& collector) {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = headers;
    request.body = body;
    return transport->start(std::move(request), collector);
  }
};

HttpApi::HttpApi(const std::string& server, const std::string& ca_file,
                 std::function<void()> forget)
    : connection_(std::make_unique<Connection>()), forget_(std::move(forget)) {
  host::ConnectionConfig config;
  config.server = server;
  config.ca_file = ca_file;
  auto transport =
      host::connect(config, *connection_->clock, connection_->metrics, Logger(*connection_->sink));
  if (!transport) {
    std::fprintf(stderr, "%s\n", transport.error().message().c_str());
    std::abort();
  }
  connection_->transport = std::move(*transport);
}

HttpApi::~HttpApi() = default;

checks::Reply HttpApi::send(const std::string& method, const std::string& target,
                            const checks::Headers& headers, const std::string& body) {
  Collector collector;
  const auto call = connection_->start(method, target, headers, body, collector);
  static_cast<void>(eventually(
      kResponseMax, [&] { return collector.ended(); }, milliseconds(1)));
  return collector.reply();
}

checks::Watched HttpApi::watch(const std::string& target, const checks::Headers& headers,
                               const std::function<void()>& then, std::size_t events, bool ends,
                               seconds within) {
  Collector collector;
  const auto call = connection_->start("GET", target, headers, "", collector);
  const auto never = [] { return false; };
  // The head of the response says that the watch is open and shows the requests that follow.
  static_cast<void>(eventually(
      kResponseMax, [&] { return collector.ended() || collector.reply().status != 0; },
      milliseconds(1)));
  then();
  static_cast<void>(eventually(
      within, [&] { return collector.ended() || (!ends && collector.events() >= events); }));
  static_cast<void>(eventually(kPropagationDelay, never));
  return {collector.reply(), collector.ended()};
}

void HttpApi::pass_time() {
  static_cast<void>(eventually(milliseconds(100), [] { return false; }));
}

}  // namespace davit::live

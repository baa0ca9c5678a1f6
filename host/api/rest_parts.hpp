/// The shared parts of a RestClient. Internal to host/api.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/api/failure_backoff.hpp"
#include "host/api/hold_switch.hpp"
#include "host/api/rest_client.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/connection_quota.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

/// The loops of a client's threads, kept with their descriptors for the next calls. Thread-safe.
class LoopPool {
 public:
  /// Returns the loop to its pool.
  struct Return {
    LoopPool& pool;
    void operator()(RequestLoop* loop) const { pool.put(std::unique_ptr<RequestLoop>(loop)); }
  };
  using Borrowed = std::unique_ptr<RequestLoop, Return>;

  /// For one call of one thread. The pool must outlive it.
  [[nodiscard]] Borrowed take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::unique_ptr<RequestLoop> taken = std::move(first_);
    if (taken == nullptr) {
      taken = std::make_unique<RequestLoop>();
    } else {
      first_ = std::move(taken->next_in_pool);
    }
    return Borrowed(taken.release(), Return{*this});
  }

 private:
  // Allocates nothing, because it also runs when a call ends for lack of memory.
  void put(std::unique_ptr<RequestLoop> loop) EXCLUDES(mutex_) {
    loop->reset();
    MutexLock lock(mutex_);
    loop->next_in_pool = std::move(first_);
    first_ = std::move(loop);
  }

  Mutex mutex_;
  std::unique_ptr<RequestLoop> first_ GUARDED_BY(mutex_);
};

/// A client's fixed parts and its limiter. Thread-safe.
struct RestParts {
  RestParts(Transport& t, Clock& c, RestMetrics& m, Logger l, RestOptions o);

  Transport& transport;
  Clock& clock;
  RestMetrics& metrics;
  const Logger log;
  const RestOptions options;
  const std::string host;  ///< "address:port", the label of metrics.
  TokenBucket limiter;
  FailureBackoff backoff;
  HoldSwitch hold;
  ConnectionQuota quota;
  LoopPool loops;
};

/// `request` with the client's own dryRun and field manager applied.
[[nodiscard]] ApiRequest with_client_options(const ApiRequest& request, const RestOptions& options);

/// The value of a header given in lower case, or "".
[[nodiscard]] std::string_view header(const HttpHeaders& headers, std::string_view name);

/// One HTTP attempt is over, or failed below HTTP (`http_status` 0): counts it and logs it at -v=6.
void note_attempt(RestParts& parts, const HttpRequest& request, int http_status, Duration took);

/// The limiter held a request up: counts it and logs waits above 50 ms at -v=3, long ones louder.
void note_limiter_wait(RestParts& parts, std::string_view method, std::string_view target,
                       Duration wait);

/// Logs at -v=7 (headers) and -v=8 (bodies, cut; never those of Secrets and tokens).
void log_request(const RestParts& parts, const ApiRequest& request, const HttpRequest& http);
void log_response(const RestParts& parts, const ApiRequest& request, const ApiResponse& response);

/// The reason why a request got no response, for people.
[[nodiscard]] Status broken_status(const RestParts& parts, const ApiRequest& request,
                                   const TransportEnd& end);

/// `status` with what an earlier attempt of the same call said, where that was something else.
[[nodiscard]] Status with_previous_error(const Status& status, const std::string& previous);

}  // namespace davit::host

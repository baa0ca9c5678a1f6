/// Threads for requests that wait for other servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_message.hpp"

namespace davit::sandbox {

/// One thread for each request, so that none waits for another's webhook. Thread-safe. Its end
/// stops all requests and waits for their threads.
class RequestThreads {
 public:
  using Work = std::function<HttpServerResponse(const std::stop_token& stop)>;

  RequestThreads() = default;
  ~RequestThreads();
  RequestThreads(const RequestThreads&) = delete;
  RequestThreads& operator=(const RequestThreads&) = delete;

  /// A response whose request runs on a separate thread. Null: too many run already, or the system
  /// has no thread. If the response is dropped, the request is asked to stop. `clock` and this must
  /// outlive the response. `shares`: the webhooks that the request may wait for. The requests of a
  /// share get a third of the threads that are left, and thus a quarter of all, so webhooks that
  /// hang leave some to every other one, however many they are.
  [[nodiscard]] std::unique_ptr<HttpDeferredResponse> start(
      Work work, const Clock& clock, const std::vector<std::string>& shares = {}) EXCLUDES(mutex_);

 private:
  using Id = std::uint64_t;
  class Deferred;
  struct Job {
    std::jthread thread;
    std::vector<std::string> shares;
    std::optional<HttpServerResponse> response;
    bool done = false;
    bool dropped = false;
  };

  /// Far more than the clients of one sandbox send concurrently.
  static constexpr std::size_t kRequestsMax = 256;
  /// A share gets this part of the threads that are left.
  static constexpr std::size_t kShareOfLeft = 3;

  [[nodiscard]] bool has_room(const std::vector<std::string>& shares) const REQUIRES(mutex_);
  void run(Id id, const Work& work, const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] std::optional<HttpServerResponse> take(Id id) EXCLUDES(mutex_);
  void drop(Id id) EXCLUDES(mutex_);

  Mutex mutex_;
  Id last_ GUARDED_BY(mutex_) = 0;
  std::map<Id, std::unique_ptr<Job>> jobs_ GUARDED_BY(mutex_);
};

/// The final response, for callers that may block. If `stop` is requested before it is known, the
/// one that stands for it.
[[nodiscard]] HttpServerResponse await_response(HttpServerResponse response, Clock& clock,
                                                const std::stop_token& stop);

}  // namespace davit::sandbox

/// Requests to an API server that do not block: sent through a Transport; their responses are
/// delivered on the owner's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/request_loop.hpp"
#include "lib/net/transport.hpp"

namespace davit::sandbox {

/// The type of patches that merge the lists of built-in kinds by key.
inline constexpr char kStrategic[] = "application/strategic-merge-patch+json";
/// The type of patches that replace whole lists.
inline constexpr char kMerge[] = "application/merge-patch+json";

struct ApiCall {
  std::string method;  ///< "GET"
  std::string target;  ///< "/api/v1/nodes/node-1/status"
  std::string body;
  std::string content_type = "application/json";
};

/// The result of a call. A successful response that is not what was asked for counts as none.
struct ApiResponse {
  int http_status = 0;  ///< 0: no response, or half of one.
  std::string body;
  Duration retry_after{0};
  std::string broken;  ///< Why there is no response.

  [[nodiscard]] bool ok() const { return http_status >= 200 && http_status < 300; }
  /// Whether the same request may succeed later: overload, a failure of the server or of the
  /// network.
  [[nodiscard]] bool may_pass() const {
    return http_status == 0 || http_status == 429 || http_status >= 500;
  }
  /// Whether a write may have been carried out all the same.
  [[nodiscard]] bool is_uncertain() const { return http_status == 0 || http_status >= 500; }
  [[nodiscard]] bool is_conflict() const { return http_status == 409; }
  [[nodiscard]] bool is_missing() const { return http_status == 404; }
  /// For people: the start of the body, or what broke.
  [[nodiscard]] std::string text() const;
};

/// One long response, read in pieces by the owner.
class ApiStream final : public ResponseReader {
 public:
  /// Posts to `loop` when something has come. The loop must outlive it.
  explicit ApiStream(RequestLoop& loop) : loop_(loop) {}

  /// Moves what has come to the end of `out`. Returns how the response ended; nothing while it goes
  /// on.
  std::optional<TransportEnd> read(std::string& out) EXCLUDES(mutex_);
  /// 0 before the head has come.
  [[nodiscard]] int http_status() EXCLUDES(mutex_);

  void on_head(int status, const HttpHeaders& headers) override EXCLUDES(mutex_);
  Flow on_body(std::string_view chunk) override EXCLUDES(mutex_);
  void on_end(const TransportEnd& end) override EXCLUDES(mutex_);

 private:
  friend class ApiCalls;
  /// The limit of unread bytes: some hundred pods, so that one read takes many of them.
  static constexpr std::size_t kUnreadBytesMax = 1 << 20;

  RequestLoop& loop_;
  Mutex mutex_;
  int status_ GUARDED_BY(mutex_) = 0;
  std::string unread_ GUARDED_BY(mutex_);
  bool paused_ GUARDED_BY(mutex_) = false;
  std::optional<TransportEnd> ended_ GUARDED_BY(mutex_);
  std::unique_ptr<davit::Call> call_;  // Last: no callback runs once it is gone.
};

/// Belongs to the thread of its loop, except the transport's callbacks. A transport over sockets is
/// driven, and calls back, while that thread waits in the loop; other transports call on their own
/// threads. Both end the wait.
class ApiCalls {
 public:
  using Then = std::function<void(const ApiResponse&)>;

  /// The transport and the loop must outlive it.
  ApiCalls(Transport& transport, RequestLoop& loop, std::string user_agent);
  /// Cancels requests in progress.
  ~ApiCalls();
  ApiCalls(const ApiCalls&) = delete;
  ApiCalls& operator=(const ApiCalls&) = delete;

  /// `then` runs in deliver(), once. Calls begin in the order in which they are sent.
  void send(ApiCall call, Then then);
  /// Opens a list or watch of `target`.
  [[nodiscard]] std::unique_ptr<ApiStream> open(std::string_view target);
  /// Runs the callbacks of the responses that have come; returns whether there were any.
  bool deliver();
  /// Whether every call has its response.
  [[nodiscard]] bool idle() const { return flights_.empty() && waiting_.empty(); }

 private:
  class Flight;
  struct Waiting {
    ApiCall call;
    Then then;
  };
  /// Enough to hide the network's delay, few enough that a small server keeps serving others.
  static constexpr std::size_t kInFlightMax = 64;

  void start(ApiCall call, Then then);
  void post(std::uint64_t id) EXCLUDES(mutex_);

  Transport& transport_;
  RequestLoop& loop_;
  const std::string user_agent_;
  std::uint64_t last_id_ = 0;
  std::deque<Waiting> waiting_;  // At most one for each node, pod and event that is written.
  Mutex mutex_;
  std::vector<std::uint64_t> done_ GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::unique_ptr<Flight>>
      flights_;  // Last: their callbacks use the above.
};

}  // namespace davit::sandbox

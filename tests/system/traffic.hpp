/// davit's requests to the server, one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/rest/url_handler.hpp"

namespace davit::test {

/// A request of davit's; events and leases are not noted.
struct RecordedRequest {
  Time at{};
  std::string method;
  std::string path;
  int status = 0;  ///< The response's, whether or not it arrived.
};

/// Records what davit requests and passes all on. Thread-safe.
class Traffic final : public sandbox::UrlHandler {
 public:
  /// Both outlive it.
  Traffic(sandbox::UrlHandler& inner, Clock& clock) : inner_(inner), clock_(clock) {}

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;
  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request,
                                          const sandbox::Url& url) override;

  /// Those since `start` whose method and path hold these; no method: all that change something.
  [[nodiscard]] std::vector<RecordedRequest> since(Time start, std::string_view method = "",
                                                   std::string_view path = "") const
      EXCLUDES(mutex_);
  /// Those of any kind that davit had no right to.
  [[nodiscard]] std::vector<RecordedRequest> refused() const EXCLUDES(mutex_);

 private:
  [[nodiscard]] HttpServerResponse noted(const HttpServerRequest& request,
                                         HttpServerResponse response) EXCLUDES(mutex_);

  sandbox::UrlHandler& inner_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::vector<RecordedRequest> requests_ GUARDED_BY(mutex_);
  std::vector<RecordedRequest> refused_ GUARDED_BY(mutex_);
};

}  // namespace davit::test

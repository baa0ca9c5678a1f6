/// What davit asks of the server, request by request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "sandbox/rest/http_message.hpp"

namespace davit::test {

/// A request of davit's; events and leases are not noted.
struct RecordedRequest {
  host::Time at{};
  std::string method;
  std::string path;
  int status = 0;  ///< Of the response, whether or not it arrived.
};

/// Records what davit requests and passes all on. Thread-safe.
class Traffic final : public sandbox::Handler {
 public:
  /// Both outlive it.
  Traffic(sandbox::Handler& inner, host::Clock& clock) : inner_(inner), clock_(clock) {}

  [[nodiscard]] sandbox::Response handle(const sandbox::Request& request) override EXCLUDES(mutex_);

  /// Those since `start` whose method and path hold these; no method: all that change something.
  [[nodiscard]] std::vector<RecordedRequest> since(host::Time start, std::string_view method = "",
                                                   std::string_view path = "") const
      EXCLUDES(mutex_);
  /// Those of any kind that davit had no right to.
  [[nodiscard]] std::vector<RecordedRequest> refused() const EXCLUDES(mutex_);

 private:
  sandbox::Handler& inner_;
  host::Clock& clock_;
  mutable host::Mutex mutex_;
  std::vector<RecordedRequest> requests_ GUARDED_BY(mutex_);
  std::vector<RecordedRequest> refused_ GUARDED_BY(mutex_);
};

}  // namespace davit::test

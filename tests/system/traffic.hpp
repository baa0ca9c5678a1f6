/// What davit asks of the server, request by request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/clock.hpp"
#include "host/base/mutex.hpp"
#include "sandbox/rest/exchange.hpp"

namespace davit::test {

/// A request of davit's; events and leases are not noted.
struct Exchange {
  host::Time at{};
  std::string method;
  std::string path;
  int status = 0;  ///< Of the answer, whether or not it arrived.
};

/// Notes what davit asks and passes all on. Thread-safe.
class Traffic final : public sandbox::Handler {
 public:
  /// Both outlive it.
  Traffic(sandbox::Handler& inner, host::Clock& clock) : inner_(inner), clock_(clock) {}

  [[nodiscard]] sandbox::Response handle(const sandbox::Request& request) override EXCLUDES(mutex_);

  /// Those since `start` whose method and path hold these; no method: all that change something.
  [[nodiscard]] std::vector<Exchange> since(host::Time start, std::string_view method = "",
                                            std::string_view path = "") const EXCLUDES(mutex_);
  /// Those of any kind that davit had no right to.
  [[nodiscard]] std::vector<Exchange> refused() const EXCLUDES(mutex_);

 private:
  sandbox::Handler& inner_;
  host::Clock& clock_;
  mutable host::Mutex mutex_;
  std::vector<Exchange> exchanges_ GUARDED_BY(mutex_);
  std::vector<Exchange> refused_ GUARDED_BY(mutex_);
};

}  // namespace davit::test

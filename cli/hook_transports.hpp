/// Connections of `davit sandbox` to the servers of webhooks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "host/api/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "sandbox/webhook/hook_connector.hpp"

namespace davit::host {

/// One transport over sockets for each server and its certificates. Thread-safe. `clock` must
/// outlive it.
class HookTransports final : public sandbox::HookConnector {
 public:
  HookTransports(Clock& clock, Logger log) : clock_(clock), log_(std::move(log)) {}

  /// Forgets the server that was used longest ago where there are too many. Closes idle connections
  /// to all of them every few seconds.
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(
      const sandbox::HookServer& server) override EXCLUDES(mutex_);

 private:
  /// Few sandboxes have so many webhooks at once. Tests make new certificates at each start, and
  /// the old ones are not used again.
  static constexpr std::size_t kServersMax = 64;
  static constexpr Duration kIdleCheck = std::chrono::seconds(5);
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Server {
    std::shared_ptr<Transport> transport;
    /// The same, for calls: its use count is theirs, without that of idle checks.
    std::shared_ptr<Transport> called;
    std::uint64_t used = 0;  ///< The number of its last use.
  };

  [[nodiscard]] std::vector<std::shared_ptr<Transport>> due_for_idle_check() EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<Transport> forget_oldest() REQUIRES(mutex_);

  Clock& clock_;
  const Logger log_;
  NoRestMetrics metrics_;
  Mutex mutex_;
  std::uint64_t uses_ GUARDED_BY(mutex_) = 0;
  Time checked_ GUARDED_BY(mutex_);
  std::map<Key, Server> servers_ GUARDED_BY(mutex_);
};

}  // namespace davit::host

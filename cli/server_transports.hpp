/// Transports of `davit sandbox` to the servers that it calls: webhooks and aggregated APIs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

struct ConnectionConfig;

/// One transport over sockets for each server and its certificates. Thread-safe. `clock` must
/// outlive it.
class ServerTransports {
 public:
  ServerTransports(Clock& clock, Logger log) : clock_(clock), log_(std::move(log)) {}

  /// Forgets the server that was used longest ago where there are too many. kUnavailable if all of
  /// them are being called: "too many servers of `whose` are being called".
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const ConnectionConfig& config,
                                                           std::string_view whose) EXCLUDES(mutex_);
  /// Closes idle connections to all servers, every few seconds at most.
  void close_idle() EXCLUDES(mutex_);

 private:
  /// Few sandboxes call so many servers at once. Tests make new certificates at each start, and the
  /// old ones are not used again.
  static constexpr std::size_t kServersMax = 64;
  static constexpr Duration kIdleCheck = std::chrono::seconds(5);
  /// URL, server name, roots, and whether the certificate is not verified.
  using Key = std::tuple<std::string, std::string, std::string, bool>;
  struct Server {
    std::shared_ptr<Transport> transport;
    /// The same, for calls: its use count is theirs, without that of idle checks.
    std::shared_ptr<Transport> called;
    std::uint64_t used = 0;  ///< The number of its last use.
  };

  [[nodiscard]] std::vector<std::shared_ptr<Transport>> due_for_idle_check() EXCLUDES(mutex_);
  /// Null: all servers are being called.
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

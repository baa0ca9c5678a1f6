/// The shared parts of an OutboundClient. Internal to host/outbound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/api/rest_parts.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/connection_quota.hpp"

namespace davit::host {

/// The transports of a controller, one for each server that it talks to. Those that have not been
/// used for the longest are closed when there are too many. Thread-safe.
class OutboundTransports {
 public:
  /// A wildcard may stand for any number of servers; each has a few kilobytes and its connections.
  static constexpr std::size_t kServersMax = 64;

  OutboundTransports(OutboundConnector connect, std::string roots)
      : connect_(std::move(connect)), roots_(std::move(roots)) {}

  /// Gives the transport back.
  struct Return {
    OutboundTransports* from;
    void operator()(Transport* transport) const { from->give_back(*transport); }
  };
  using Borrowed = std::unique_ptr<Transport, Return>;

  /// The transport to the server of `url`. May read the file of the roots; the error is one line
  /// for the user.
  [[nodiscard]] Result<Borrowed> take(const OutboundUrl& url) EXCLUDES(mutex_);
  void close_idle() EXCLUDES(mutex_);

 private:
  struct Server {
    std::unique_ptr<Transport> transport;
    std::size_t users = 0;
    std::uint64_t used = 0;  // When it was taken last: the number of takes before.
  };
  void give_back(Transport& transport) EXCLUDES(mutex_);
  [[nodiscard]] Borrowed lend(Server& server) REQUIRES(mutex_);
  /// Takes out the unused ones that are too many.
  [[nodiscard]] std::vector<std::unique_ptr<Transport>> take_unused() REQUIRES(mutex_);

  const OutboundConnector connect_;
  const std::string roots_;
  Mutex mutex_;
  std::map<std::string, Server> servers_ GUARDED_BY(mutex_);
  std::uint64_t takes_ GUARDED_BY(mutex_) = 0;
};

/// Thread-safe.
struct OutboundParts {
  OutboundParts(Clock& c, OutboundMetrics& m, Logger l, OutboundOptions o);

  [[nodiscard]] const DeclaredHost* host_of(const OutboundUrl& url) const;

  Clock& clock;
  OutboundMetrics& metrics;
  const Logger log;
  const OutboundOptions options;
  NoRestMetrics no_metrics;  // Those of the API client do not count these servers.
  OutboundTransports transports;
  HoldSwitch hold;
  ConnectionQuota quota;
  LoopPool loops;
};

}  // namespace davit::host

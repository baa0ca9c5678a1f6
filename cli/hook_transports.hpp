/// Connections of `davit sandbox` to the servers of webhooks.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>

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

  [[nodiscard]] Result<Transport*> connect(const sandbox::HookServer& server) override
      EXCLUDES(mutex_);

 private:
  /// Tests make new certificates at each start, and few sandboxes live for a thousand of them.
  static constexpr std::size_t kServersMax = 1024;
  using Key = std::tuple<std::string, std::string, std::string>;

  Clock& clock_;
  const Logger log_;
  NoRestMetrics metrics_;
  Mutex mutex_;
  std::map<Key, std::unique_ptr<Transport>> transports_ GUARDED_BY(mutex_);
};

}  // namespace davit::host

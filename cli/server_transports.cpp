#include "cli/server_transports.hpp"

#include <utility>

#include "host/config/connection_config.hpp"
#include "host/transport/curl_transport.hpp"

namespace davit::host {

Result<std::shared_ptr<Transport>> ServerTransports::connect(const ConnectionConfig& config,
                                                             std::string_view whose) {
  const Key key(config.server, config.tls_server_name, config.ca_data, config.insecure);
  std::shared_ptr<Transport> forgotten;  // Ends outside the lock.
  MutexLock lock(mutex_);
  if (const auto found = servers_.find(key); found != servers_.end()) {
    found->second.used = ++uses_;
    return found->second.called;
  }
  if (servers_.size() >= kServersMax) {
    forgotten = forget_oldest();
    if (forgotten == nullptr) {
      return Status(Code::kUnavailable,
                    "too many servers of " + std::string(whose) + " are being called");
    }
  }
  Result<std::unique_ptr<Transport>> made = make_curl_transport(config, clock_, metrics_, log_);
  if (!made) return made.error();
  std::shared_ptr<Transport> transport = std::move(*made);
  std::shared_ptr<Transport> called(transport.get(), [transport](Transport*) {});
  servers_.emplace(key, Server{std::move(transport), called, ++uses_});
  return called;
}

void ServerTransports::close_idle() {
  for (const std::shared_ptr<Transport>& each : due_for_idle_check()) each->close_idle();
}

std::vector<std::shared_ptr<Transport>> ServerTransports::due_for_idle_check() {
  std::vector<std::shared_ptr<Transport>> out;
  const Time now = clock_.now();
  MutexLock lock(mutex_);
  if (now < checked_ + kIdleCheck) return out;
  checked_ = now;
  for (const auto& [key, server] : servers_) out.push_back(server.transport);
  return out;
}

std::shared_ptr<Transport> ServerTransports::forget_oldest() {
  auto oldest = servers_.end();
  for (auto each = servers_.begin(); each != servers_.end(); ++each) {
    const bool is_called = each->second.called.use_count() > 1;
    if (is_called || (oldest != servers_.end() && oldest->second.used < each->second.used)) {
      continue;
    }
    oldest = each;
  }
  if (oldest == servers_.end()) return nullptr;
  std::shared_ptr<Transport> out = std::move(oldest->second.transport);
  servers_.erase(oldest);
  return out;
}

}  // namespace davit::host

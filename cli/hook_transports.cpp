#include "cli/hook_transports.hpp"

#include <utility>

#include "host/api/curl_transport.hpp"
#include "host/config/connection_config.hpp"

namespace davit::host {

Result<std::shared_ptr<Transport>> HookTransports::connect(const sandbox::HookServer& server) {
  for (const std::shared_ptr<Transport>& each : due_for_idle_check()) each->close_idle();
  const Key key(server.url, server.server_name, server.roots);
  std::shared_ptr<Transport> forgotten;  // Ends outside the lock.
  MutexLock lock(mutex_);
  if (const auto found = servers_.find(key); found != servers_.end()) {
    found->second.used = ++uses_;
    return found->second.called;
  }
  if (servers_.size() >= kServersMax) {
    forgotten = forget_oldest();
    if (forgotten == nullptr) {
      return Status(Code::kUnavailable, "too many servers of webhooks are being called");
    }
  }
  ConnectionConfig config;
  config.server = server.url;
  config.tls_server_name = server.server_name;
  config.ca_data = server.roots;
  Result<std::unique_ptr<Transport>> made = make_curl_transport(config, clock_, metrics_, log_);
  if (!made) return made.error();
  std::shared_ptr<Transport> transport = std::move(*made);
  std::shared_ptr<Transport> called(transport.get(), [transport](Transport*) {});
  servers_.emplace(key, Server{std::move(transport), called, ++uses_});
  return called;
}

std::vector<std::shared_ptr<Transport>> HookTransports::due_for_idle_check() {
  std::vector<std::shared_ptr<Transport>> out;
  const Time now = clock_.now();
  MutexLock lock(mutex_);
  if (now < checked_ + kIdleCheck) return out;
  checked_ = now;
  for (const auto& [key, server] : servers_) out.push_back(server.transport);
  return out;
}

/// Null: all servers are being called.
std::shared_ptr<Transport> HookTransports::forget_oldest() {
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

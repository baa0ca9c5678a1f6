#include "host/outbound/outbound_client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/outbound/outbound_call.hpp"
#include "host/outbound/outbound_parts.hpp"
#include "host/transport/curl_transport.hpp"
#include "host/transport/tls_material.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/net/http1.hpp"

namespace davit::host {
namespace {

// net/http's servers take 1 MiB of head, most others 8 to 64 KiB.
constexpr std::size_t kHeaderCountMax = 100;
constexpr std::size_t kHeaderBytesMax = 64 * 1024;

/// Headers that say how the connection is used, which is the host's business.
bool is_of_connection(std::string_view name) {
  constexpr std::array<std::string_view, 10> kOwn = {"host",
                                                     "content-length",
                                                     "transfer-encoding",
                                                     "connection",
                                                     "keep-alive",
                                                     "upgrade",
                                                     "te",
                                                     "trailer",
                                                     "expect",
                                                     "proxy-authorization"};
  return std::find(kOwn.begin(), kOwn.end(), lower_case(std::string(name))) != kOwn.end();
}

ConnectionConfig config_of(const OutboundServer& server) {
  ConnectionConfig config;
  config.server = server.url;
  const bool is_text = server.roots.find("-----BEGIN") != std::string::npos;
  (is_text ? config.ca_data : config.ca_file) = server.roots;
  return config;
}

Status misuse(std::string why) { return {Code::kMisuse, std::move(why)}; }

}  // namespace

bool is_safe_method(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

Status check_outbound(const OutboundRequest& request) {
  HttpRequest lines;
  lines.method = request.method;
  lines.target = request.url.target;
  lines.headers = request.headers;
  if (Status s = check_request_lines(lines); !s.ok()) return s;
  if (request.method == "CONNECT" || request.method == "TRACE") {
    return misuse("the method " + request.method + " is not for requests to a server");
  }
  if (request.headers.size() > kHeaderCountMax) return misuse("it has more than 100 headers");
  std::size_t bytes = 0;
  for (const auto& [name, value] : request.headers) {
    bytes += name.size() + value.size();
    if (!is_of_connection(name)) continue;
    return misuse("the header " + name + " belongs to the connection: the host sets it");
  }
  if (bytes > kHeaderBytesMax) return misuse("its headers have more than 64 KiB");
  return {};
}

// ---- OutboundTransports

OutboundTransports::Borrowed OutboundTransports::lend(Server& server) {
  ++server.users;
  server.used = ++takes_;
  return Borrowed(server.transport.get(), Return{this});
}

std::vector<std::unique_ptr<Transport>> OutboundTransports::take_unused() {
  std::vector<std::unique_ptr<Transport>> unused;
  while (servers_.size() > kServersMax) {
    auto oldest = servers_.end();
    for (auto at = servers_.begin(); at != servers_.end(); ++at) {
      if (at->second.users > 0) continue;
      if (oldest == servers_.end() || at->second.used < oldest->second.used) oldest = at;
    }
    if (oldest == servers_.end()) break;
    unused.push_back(std::move(oldest->second.transport));
    servers_.erase(oldest);
  }
  return unused;
}

Result<OutboundTransports::Borrowed> OutboundTransports::take(const OutboundUrl& url) {
  const std::string origin = url.origin();
  {
    MutexLock lock(mutex_);
    const auto found = servers_.find(origin);
    if (found != servers_.end()) return lend(found->second);
  }
  Result<std::unique_ptr<Transport>> made = connect_({origin, roots_});
  if (!made) return made.error();
  std::vector<std::unique_ptr<Transport>> closed;  // After the lock is released.
  MutexLock lock(mutex_);
  Server& server = servers_[origin];
  // Another thread may have been faster.
  (server.transport == nullptr ? server.transport : closed.emplace_back()) = *std::move(made);
  Borrowed lent = lend(server);
  for (auto& each : take_unused()) closed.push_back(std::move(each));
  return lent;
}

void OutboundTransports::give_back(Transport& transport) {
  std::vector<std::unique_ptr<Transport>> closed;
  MutexLock lock(mutex_);
  for (auto& [origin, server] : servers_) {
    if (server.transport.get() == &transport) --server.users;
  }
  closed = take_unused();
}

void OutboundTransports::close_idle() {
  std::vector<Borrowed> all;
  {
    MutexLock lock(mutex_);
    for (auto& [origin, server] : servers_) {
      ++server.users;
      all.push_back(Borrowed(server.transport.get(), Return{this}));
    }
  }
  for (const Borrowed& each : all) each->close_idle();
}

// ---- OutboundParts

OutboundParts::OutboundParts(Clock& c, OutboundMetrics& m, Logger l, OutboundOptions o)
    : clock(c),
      metrics(m),
      log(std::move(l)),
      options(std::move(o)),
      transports(options.connect ? options.connect
                                 : [this](const OutboundServer& server) {
                                     return make_curl_transport(config_of(server), clock,
                                                                no_metrics, log);
                                   },
                 options.roots) {}

const DeclaredHost* OutboundParts::host_of(const OutboundUrl& url) const {
  const auto found = std::find_if(options.hosts.begin(), options.hosts.end(),
                                  [&url](const DeclaredHost& each) { return each.allows(url); });
  return found == options.hosts.end() ? nullptr : &*found;
}

// ---- OutboundClient

OutboundClient::OutboundClient(Clock& clock, OutboundMetrics& metrics, Logger log,
                               OutboundOptions options)
    : parts_(std::make_unique<OutboundParts>(clock, metrics, std::move(log), std::move(options))) {}

OutboundClient::~OutboundClient() = default;

const DeclaredHost* OutboundClient::host_of(const OutboundUrl& url) const {
  return parts_->host_of(url);
}

Status OutboundClient::check_roots() const {
  if (parts_->options.roots.empty()) return {};
  return TlsSource::open(config_of({"", parts_->options.roots}), parts_->clock.now(),
                         parts_->no_metrics, parts_->log)
      .error();
}

std::vector<OutboundResponse> OutboundClient::batch(std::vector<OutboundRequest> requests,
                                                    const std::stop_token& stop) {
  return run_outbound(*parts_, std::move(requests), stop);
}

void OutboundClient::hold() { parts_->hold.hold(); }
void OutboundClient::release() { parts_->hold.release(); }
void OutboundClient::close_idle() { parts_->transports.close_idle(); }

}  // namespace davit::host

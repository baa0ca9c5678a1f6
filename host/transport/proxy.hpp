/// The proxy between this host and a server. Internal to host/transport.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/config/connection_config.hpp"
#include "host/transport/server_url.hpp"

namespace davit::host {

/// A proxy. An empty `url` stands for a direct connection.
struct Proxy {
  std::string url;    ///< As libcurl takes it, with its credentials: "http://user:word@proxy:3128".
  std::string shown;  ///< The URL without credentials, for messages.
  std::string authorization;  ///< The value of Proxy-Authorization, or "".

  /// Whether it takes requests for http:// servers in the absolute form (RFC 9112, section 3.2.2).
  /// SOCKS proxies pass on connections instead.
  [[nodiscard]] bool takes_requests() const;
};

/// The proxy of `config`, or the one that the environment has for the scheme of `server`, unless it
/// exempts the server. `proxy-url` overrides the environment and all exemptions (RT-032), and a
/// loopback address has none otherwise, as in Go's net/http. Reads the environment. kInvalid if the
/// proxy's URL cannot be read; the message contains no password.
[[nodiscard]] Result<Proxy> proxy_of(const ConnectionConfig& config, const ServerUrl& server);

/// Whether `list`, the value of NO_PROXY, exempts a host: its entries are names, which include
/// their subdomains, addresses, CIDRs, and "*". `host` is a name or an address; IPv6 may have
/// brackets. The rules of libcurl.
[[nodiscard]] bool is_exempt(std::string_view host, std::string_view list);

}  // namespace davit::host

/// The libcurl options that all connections of a transport share. Included by the sources of
/// host/transport only.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/config/connection_config.hpp"
#include "host/transport/curl_handles.hpp"
#include "host/transport/proxy.hpp"
#include "host/transport/server_url.hpp"
#include "host/transport/socket_source.hpp"
#include "host/transport/tls_material.hpp"
#include "lib/base/assert.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Immutable; outlives the connections.
struct CurlSettings {
  enum class Verify { kServer, kNothing };

  std::string base_url;    ///< "https://10.0.0.1:6443/prefix", no trailing slash.
  std::string connect_to;  ///< "name:port:host:port" if the certificate has another name, else "".
  Proxy proxy;             ///< As proxy_of() chooses it.
  Verify verify = Verify::kServer;
  /// "http://10.0.0.1:6443" for TLS without a proxy: libcurl makes the connection only, and
  /// TlsSession speaks over it. Otherwise "".
  std::string socket_url{};
  std::string tls_name{};  ///< With socket_url: the name or address to verify.
  SocketSource sockets{};  ///< Makes the connections to `server`; empty: libcurl does.
  SocketAddress server{};
};

/// The settings of connections to `url`, which is the server of `config`. Fails as proxy_of() does.
[[nodiscard]] Result<CurlSettings> connection_settings(const ConnectionConfig& config,
                                                       const ServerUrl& url);

/// The idle time after which we close a connection. The API server closes at 90 s (net/http's
/// IdleTimeout); a request that crosses its closing would fail.
inline constexpr Duration kIdleConnectionMax = std::chrono::seconds(60);
/// A peer that says nothing is probed after 10 s and every 5 s from then on, and given up once
/// nothing came back for 20 s: a dead connection is noticed within 25 s, below the 30 s that node
/// lifecycle allows for its Leases and Nodes.
inline constexpr long kKeepIdleSeconds = 10;
inline constexpr long kKeepIntervalSeconds = 5;
inline constexpr unsigned kUserTimeoutMs = 20'000;

/// Sets an option; the options are constants of this libcurl.
template <typename T>
void set_option(CURL* handle, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(handle, option, value);
  DAVIT_ASSERT(code == CURLE_OK);
}

/// Appends a copy of `line`, such as a header, to a list of libcurl's; the first makes the list.
void append_line(CurlList& list, const std::string& line);

/// Address, proxy, TLS and TCP of `handle`, which must not outlive `tls` and `connect_to`, an empty
/// list that this fills.
void set_connection_options(CURL* handle, const CurlSettings& settings, const TlsMaterial& tls,
                            CurlList& connect_to);

/// The TCP options of a socket that a SocketSource has connected: those that
/// set_connection_options() has libcurl set.
void set_socket_options(int socket);

/// Lets TLS read beyond the record that it needs. Only for a connection whose owner receives until
/// nothing is left: poll() does not see what was read ahead.
void let_read_ahead(CURL* handle);

/// The kind of a transfer's failure, for a reader.
[[nodiscard]] Break break_of(CURLcode code);

}  // namespace davit::host

/// Addresses of servers outside the cluster: URLs of requests, and the hosts that a note declares.
/// Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/transport/server_url.hpp"

namespace davit::host {

/// An absolute URL of http or https, without user, password and fragment.
struct OutboundUrl {
  ServerUrl::Scheme scheme = ServerUrl::Scheme::kHttps;
  std::string host;    ///< Lower case; IPv6 in brackets.
  std::string port;    ///< Never empty.
  std::string target;  ///< Path and query; begins with a slash.

  /// "https://dns.example.com:443"
  [[nodiscard]] std::string origin() const;
  /// The URL without its query, which may hold secrets: for messages and logs.
  [[nodiscard]] std::string shown() const;
  /// The whole URL, with the port only where it is not the usual one.
  [[nodiscard]] std::string text() const;

  /// kMisuse with a text that contains nothing of `text`, which may hold secrets.
  [[nodiscard]] static Result<OutboundUrl> parse(std::string_view text);
  /// The URL that a Location header of a response from this one means.
  [[nodiscard]] Result<OutboundUrl> resolve(std::string_view location) const;
};

/// A host that requests may go to: "dns.example.com", "*.example.com:8443" (one label),
/// "http://localhost:9090", "*" (every host).
struct DeclaredHost {
  ServerUrl::Scheme scheme = ServerUrl::Scheme::kHttps;
  std::string host;  ///< Lower case; may begin with "*.", or be "*".
  std::string port;  ///< Never empty.

  [[nodiscard]] bool allows(const OutboundUrl& url) const;
  /// As it is declared, in the shortest form: https and usual ports are left out.
  [[nodiscard]] std::string text() const;

  /// Whether a path may follow: an operator's configuration has the URL of a service.
  enum class Path { kRefused, kIgnored };
  /// kInvalid with a text that begins with "must be".
  [[nodiscard]] static Result<DeclaredHost> parse(std::string_view text, Path path);
};

}  // namespace davit::host

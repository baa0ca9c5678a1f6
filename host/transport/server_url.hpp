/// The parts of the server's address.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit::host {

struct ServerUrl {
  enum class Scheme { kHttp, kHttps };

  Scheme scheme = Scheme::kHttps;
  std::string host;  ///< IPv6 in brackets.
  std::string port;  ///< Never empty.
  std::string path;  ///< The prefix of all paths, without a slash at the end; mostly empty.

  /// "10.0.0.1:6443"
  [[nodiscard]] std::string address() const { return host + ":" + port; }
  /// "https://10.0.0.1:6443/prefix"
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_loopback() const;

  /// Accepts a URL or "host:port", to which `scheme` applies. Query and fragment are
  /// dropped. kInvalid with a text for the user otherwise.
  [[nodiscard]] static Result<ServerUrl> parse(std::string_view text, Scheme without_scheme);
};

}  // namespace davit::host

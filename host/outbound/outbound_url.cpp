#include "host/outbound/outbound_url.hpp"

#include <algorithm>

#include "host/transport/curl_handles.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

// Far above what servers accept (8 KiB is usual).
constexpr std::size_t kUrlBytesMax = 64 * 1024;
constexpr std::size_t kHostBytesMax = 253;  // RFC 1035.

bool is_host(std::string_view host) {
  if (host.empty() || host.size() > kHostBytesMax) return false;
  const bool v6 = host.front() == '[' && host.back() == ']';
  const std::string_view allowed =
      v6 ? "0123456789abcdef:.[]" : "abcdefghijklmnopqrstuvwxyz0123456789-._";
  return host.find_first_not_of(allowed) == host.npos;
}

std::string_view usual_port(ServerUrl::Scheme scheme) {
  return scheme == ServerUrl::Scheme::kHttps ? "443" : "80";
}

std::string_view scheme_of(ServerUrl::Scheme scheme) {
  return scheme == ServerUrl::Scheme::kHttps ? "https://" : "http://";
}

/// "example.com", or with a port that is not the usual one.
std::string authority(ServerUrl::Scheme scheme, const std::string& host, const std::string& port) {
  return port == usual_port(scheme) ? host : host + ":" + port;
}

Status misuse(const char* why) { return {Code::kMisuse, why}; }

}  // namespace

std::string OutboundUrl::origin() const {
  return std::string(scheme_of(scheme)) + host + ":" + port;
}

std::string OutboundUrl::shown() const {
  return std::string(scheme_of(scheme)) + authority(scheme, host, port) +
         printable(target.substr(0, target.find('?')));
}

std::string OutboundUrl::text() const {
  return std::string(scheme_of(scheme)) + authority(scheme, host, port) + target;
}

Result<OutboundUrl> OutboundUrl::parse(std::string_view text) {
  if (text.size() > kUrlBytesMax) return misuse("the URL has more than 64 KiB");
  const std::size_t mark = text.find("://");
  if (mark == text.npos) return misuse("the URL does not begin with https:// or http://");
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!plain) {
    return misuse(
        "the URL contains a blank, a control character or a letter beyond ASCII: such "
        "bytes are written as %XX");
  }
  const std::size_t end = std::min(text.find_first_of("/?#", mark + 3), text.size());
  if (text.substr(0, end).find('@') != text.npos) {
    return misuse("the URL contains a user: credentials belong into a header");
  }
  const std::string head = lower_case(std::string(text.substr(0, end)));
  const Result<ServerUrl> server = ServerUrl::parse(head, ServerUrl::Scheme::kHttps);
  if (!server || !is_host(server->host)) {
    return misuse("the URL has no host with a name or address that could be reached");
  }
  OutboundUrl url{server->scheme, server->host, server->port, {}};
  text = text.substr(0, text.find('#'));
  url.target = end < text.size() ? text.substr(end) : std::string_view();
  if (url.target.empty() || url.target.front() != '/') url.target.insert(0, 1, '/');
  return url;
}

Result<OutboundUrl> OutboundUrl::resolve(std::string_view location) const {
  const CurlUrl url(curl_url());
  char* resolved = nullptr;
  const bool good =
      url != nullptr && location.size() <= kUrlBytesMax &&
      curl_url_set(url.get(), CURLUPART_URL, text().c_str(), CURLU_PATH_AS_IS) == CURLUE_OK &&
      curl_url_set(url.get(), CURLUPART_URL, std::string(location).c_str(), 0) == CURLUE_OK &&
      curl_url_get(url.get(), CURLUPART_URL, &resolved, 0) == CURLUE_OK;
  const CurlText text(resolved);
  if (!good) return misuse("the server redirects to something that is not a URL");
  return parse(text.get());
}

bool DeclaredHost::allows(const OutboundUrl& url) const {
  if (scheme != url.scheme || port != url.port) return false;
  if (host == "*") return true;
  if (!host.starts_with("*.")) return host == url.host;
  const std::size_t dot = url.host.find('.');
  return dot != 0 && dot != std::string::npos && url.host.substr(dot) == host.substr(1);
}

std::string DeclaredHost::text() const {
  const std::string name = authority(scheme, host, port);
  return scheme == ServerUrl::Scheme::kHttps ? name : std::string(scheme_of(scheme)) + name;
}

Result<DeclaredHost> DeclaredHost::parse(std::string_view text, Path path) {
  const Status wrong(Code::kInvalid,
                     "must be hosts such as \"dns.example.com\", \"*.example.com:8443\" or "
                     "\"http://localhost:9090\"");
  const std::size_t mark = text.find("://");
  const std::size_t begin = mark == text.npos ? 0 : mark + 3;
  const std::size_t end = std::min(text.find_first_of("/?#", begin), text.size());
  if (end < text.size() && path == Path::kRefused) return wrong;
  const std::string head = lower_case(std::string(text.substr(0, end)));
  const Result<ServerUrl> server = ServerUrl::parse(head, ServerUrl::Scheme::kHttps);
  if (!server) return wrong;
  std::string_view name = server->host;
  if (name.starts_with("*.")) name.remove_prefix(2);
  if (server->host != "*" && !is_host(name)) return wrong;
  return DeclaredHost{server->scheme, server->host, server->port};
}

}  // namespace davit::host

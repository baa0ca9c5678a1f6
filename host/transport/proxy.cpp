#include "host/transport/proxy.hpp"

#include <algorithm>
#include <cstdlib>
#include <davit/base64.hpp>
#include <davit/kube/ip.hpp>
#include <initializer_list>
#include <optional>

#include "host/transport/curl_handles.hpp"
#include "lib/base/lower_case.hpp"

namespace davit::host {
namespace {

/// The first of the variables that is set and not empty; like libcurl, which reads them in this
/// order.
std::string first_of(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

std::string_view without_dot_at_end(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

/// Whether the domain of an entry contains `host`; both are in lower case.
bool is_in_domain(std::string_view host, std::string_view domain) {
  domain = without_dot_at_end(domain);
  if (domain.starts_with('.')) domain.remove_prefix(1);
  if (domain.empty() || !host.ends_with(domain)) return false;
  host.remove_suffix(domain.size());
  return host.empty() || host.ends_with('.');
}

bool exempts(std::string_view entry, std::string_view host,
             const std::optional<ip::Address>& address) {
  if (!address) return is_in_domain(host, entry);
  if (entry.find('/') != entry.npos) {
    const std::optional<ip::Prefix> range = ip::Prefix::parse(entry);
    return range && range->contains(*address);
  }
  return ip::Address::parse(entry) == address;
}

std::string part(CURLU* url, CURLUPart which, unsigned flags) {
  char* found = nullptr;
  curl_url_get(url, which, &found, flags);
  const CurlText text(found);
  return found == nullptr ? "" : found;
}

Result<Proxy> parsed(std::string text) {
  // The proxy resolves names, as with Go's socks5.
  if (text.starts_with("socks5://")) text.insert(6, "h");
  const CurlUrl url(curl_url());
  // libcurl takes a proxy without a scheme as one of HTTP.
  const std::string whole = text.find("://") == text.npos ? "http://" + text : text;
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, whole.c_str(),
                                     CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return Status(Code::kInvalid, "the URL of the proxy cannot be read");
  }
  const std::string user = part(url.get(), CURLUPART_USER, CURLU_URLDECODE);
  const std::string password = part(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
  const std::string port = part(url.get(), CURLUPART_PORT, 0);
  Proxy out;
  out.shown = part(url.get(), CURLUPART_SCHEME, 0) + "://" + part(url.get(), CURLUPART_HOST, 0) +
              (port.empty() ? "" : ":" + port);
  if (!user.empty() || !password.empty()) {
    out.authorization = "Basic " + encode_base64(user + ':' + password);
  }
  out.url = std::move(text);
  return out;
}

}  // namespace

bool Proxy::takes_requests() const {
  return shown.starts_with("http://") || shown.starts_with("https://");
}

bool is_exempt(std::string_view host, std::string_view list) {
  if (list == "*") return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::optional<ip::Address> address = ip::Address::parse(host);
  const std::string name = lower_case(std::string(without_dot_at_end(host)));
  const std::string entries = lower_case(std::string(list));
  std::string_view rest = entries;
  constexpr std::string_view kBetween = ", \t";
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find_first_of(kBetween));
    if (!entry.empty() && exempts(entry, name, address)) return true;
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
  }
  return false;
}

Result<Proxy> proxy_of(const ConnectionConfig& config, const ServerUrl& server) {
  if (!config.proxy_url.empty()) return parsed(config.proxy_url);
  if (server.is_loopback() || is_exempt(server.host, first_of({"no_proxy", "NO_PROXY"}))) {
    return Proxy{};
  }
  const std::string url = server.scheme == ServerUrl::Scheme::kHttps
                              ? first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                              : first_of({"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"});
  return url.empty() ? Proxy{} : parsed(url);
}

}  // namespace davit::host

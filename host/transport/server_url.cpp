#include "host/transport/server_url.hpp"

#include <algorithm>
#include <cctype>

#include "lib/base/header_value.hpp"

namespace davit::host {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Splits "host:port" or "[v6]:port". The port stays empty when there is none.
Status split_authority(std::string_view text, ServerUrl& url) {
  std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (bracket != text.npos && colon != text.npos && colon < bracket) colon = text.npos;
  url.host = text.substr(0, colon);
  if (colon != text.npos) {
    url.port = text.substr(colon + 1);
    if (!is_digits(url.port) || url.port.size() > 5) {
      return {Code::kInvalid, "its port is not a number"};
    }
  }
  if (url.host.empty()) return {Code::kInvalid, "it has no host name"};
  constexpr std::string_view kForbidden = " \t\r\n@\\\"<>";
  if (url.host.find_first_of(kForbidden) != url.host.npos) {
    return {Code::kInvalid, "its host name contains an invalid character"};
  }
  const bool is_ipv6 = url.host.front() == '[' && url.host.back() == ']';
  if (!is_ipv6 && url.host.find(':') != url.host.npos) {
    return {Code::kInvalid, "an IPv6 address needs brackets"};
  }
  return {};
}

}  // namespace

std::string ServerUrl::text() const {
  return (scheme == Scheme::kHttps ? "https://" : "http://") + address() + path;
}

bool ServerUrl::is_loopback() const {
  return host == "localhost" || host == "[::1]" || host.compare(0, 4, "127.") == 0;
}

Result<ServerUrl> ServerUrl::parse(std::string_view text, Scheme without_scheme) {
  const auto bad = [text](std::string_view why) {
    return Status(Code::kInvalid, "the server address \"" + std::string(text) +
                                      "\" is not usable: " + std::string(why));
  };
  if (text.find(' ') != text.npos || !is_header_value(text)) {
    return bad("it has blanks or control characters");
  }
  ServerUrl url;
  std::string_view rest = text;
  const std::size_t mark = text.find("://");
  if (mark == text.npos) {
    url.scheme = without_scheme;
    if (text.find('/') != text.npos) return bad("write it as https://host:port/path");
  } else {
    const std::string_view name = text.substr(0, mark);
    if (name != "https" && name != "http") return bad("it must begin with https:// or http://");
    url.scheme = name == "https" ? Scheme::kHttps : Scheme::kHttp;
    rest.remove_prefix(mark + 3);
  }
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::size_t slash = rest.find('/');
  if (Status s = split_authority(rest.substr(0, slash), url); !s.ok()) return bad(s.message());
  if (url.port.empty()) url.port = url.scheme == Scheme::kHttps ? "443" : "80";
  if (slash != rest.npos) url.path = rest.substr(slash);
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  return url;
}

}  // namespace davit::host

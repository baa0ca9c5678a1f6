#include "sandbox/http/browser_guard.hpp"

#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {
namespace {

/// A Host header's name or address, without port and brackets.
std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  std::string name = lower_case(std::string(host.substr(0, host.rfind(':'))));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool has_declared_body(const HttpServerRequest& request) {
  const std::string_view header = request.header("Content-Type");
  const std::string type = lower_case(std::string(trimmed(header.substr(0, header.find(';')))));
  return type.starts_with("application/") &&
         (type.ends_with("json") || type.ends_with("yaml") || type.ends_with("protobuf"));
}

bool writes(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

BrowserGuard::BrowserGuard(HttpHandler& server, std::string address)
    : server_(server), address_(std::move(address)) {}

bool BrowserGuard::is_own(std::string_view host) const {
  const std::string name = host_name(host);
  if (name == "localhost" || name.ends_with(".localhost") || name == address_) return true;
  return name == "::1" || (name.starts_with("127.") && is_ip(name));
}

HttpServerResponse BrowserGuard::handle(const HttpServerRequest& request) {
  const std::string_view host = request.header("Host");
  // Every browser sends one.
  if (!host.empty() && !is_own(host)) {
    return to_response(without_details(
        reason::kForbidden, "the Host " + json_string(host) +
                                " is not an address of this server, which asks for no credentials; "
                                "use localhost, or serve TLS (without --insecure)"));
  }
  const bool has_body = !request.body.empty() || request.body_too_large;
  if (has_body && writes(request.method) && !has_declared_body(request)) {
    return to_response(unsupported_media_type(
        "a server that asks for no credentials takes bodies of JSON, YAML or protobuf only: set "
        "Content-Type, such as application/json"));
  }
  return server_.handle(request);
}

}  // namespace davit::sandbox

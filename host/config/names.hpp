/// The forms of names in Kubernetes (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

/// 1 to 63 lower case letters, digits and '-', beginning and ending with no '-'.
[[nodiscard]] bool is_dns_label(std::string_view text);

/// Up to 253 bytes of DNS labels with dots between them.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

/// A plural as it stands in a URL. Not "watch", "proxy", "status" and "finalize": in the place of a
/// resource the server reads them as something else
/// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
[[nodiscard]] bool is_resource_name(std::string_view text);

/// Whether "<resource>/<name>/<text>" is about that object: one segment, and of namespaces only
/// "status" and "finalize", because "namespaces/x/secrets" are the Secrets of x.
[[nodiscard]] bool is_subresource_of(std::string_view resource, std::string_view text);

/// The name of a client in its user agent: up to 253 letters, digits, '-', '_' and '.'.
[[nodiscard]] bool is_client_name(std::string_view text);

/// An IPv4 or IPv6 address without brackets and zone.
[[nodiscard]] bool is_ip_address(const std::string& text);

}  // namespace davit::host

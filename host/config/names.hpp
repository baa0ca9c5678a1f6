/// The forms of names in Kubernetes (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <string>
#include <string_view>

namespace davit::host {

/// 1 to 63 lower case letters, digits and '-', beginning and ending with no '-'.
[[nodiscard]] bool is_dns_label(std::string_view text);

/// Up to 253 bytes of DNS labels with dots between them.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

/// An IPv4 or IPv6 address without brackets and zone.
[[nodiscard]] bool is_ip_address(const std::string& text);

}  // namespace davit::host

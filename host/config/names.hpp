/// The forms of names in Kubernetes (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <string_view>

namespace davit::host {

/// A plural as it stands in a URL. Not "watch", "proxy", "status" and "finalize": in the place of a
/// resource the server reads them as something else
/// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
[[nodiscard]] bool is_resource_name(std::string_view text);

/// Whether "<resource>/<name>/<text>" is about that object: one segment, and of namespaces only
/// "status" and "finalize", because "namespaces/x/secrets" are the Secrets of x.
[[nodiscard]] bool is_subresource_of(std::string_view resource, std::string_view text);

/// The name of a client in its user agent: up to 253 letters, digits, '-', '_' and '.'.
[[nodiscard]] bool is_client_name(std::string_view text);

}  // namespace davit::host

/// The forms of names in Kubernetes (k8s.io/apimachinery/pkg/util/validation).
#pragma once

#include <string_view>

namespace davit::host {

/// A plural as in a URL. Not "watch", "proxy", "status" and "finalize", which the server interprets
/// differently in this position (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
[[nodiscard]] bool is_resource_name(std::string_view text);

/// Whether "<resource>/<name>/<text>" is about that object: one segment, and of namespaces only
/// "status" and "finalize", because "namespaces/x/secrets" are the Secrets of x.
[[nodiscard]] bool is_subresource_of(std::string_view resource, std::string_view text);

/// Whether every metric is a resource or subresource of this group, under any name: those of
/// custom.metrics.k8s.io and external.metrics.k8s.io are.
[[nodiscard]] bool is_metrics_group(std::string_view group);

/// A metric in the position of a resource or subresource: one segment of a URL. Not the words that
/// is_resource_name() excludes.
[[nodiscard]] bool is_metric_segment(std::string_view text);

/// The name of a client in its user agent: up to 253 letters, digits, '-', '_' and '.'.
[[nodiscard]] bool is_client_name(std::string_view text);

/// The id of a capability: "davit.client/1".
[[nodiscard]] bool is_capability_id(std::string_view text);

/// A verb of RBAC: lower-case letters, digits and dashes. The set is open.
[[nodiscard]] bool is_verb(std::string_view text);

/// A name as one segment of a URL: not "." or "..", and without '/', '%' and control characters.
[[nodiscard]] bool is_path_segment_name(std::string_view text);

/// A non-resource URL of an RBAC rule: "/metrics", "/healthz/*" or "*".
[[nodiscard]] bool is_url_pattern(std::string_view text);

}  // namespace davit::host

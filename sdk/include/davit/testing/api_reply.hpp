/// Answers of the in-memory API server.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/testing/document.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

struct ApiReply {
  int http_status = 200;  ///< 0: no answer arrived.
  std::string reason{};
  std::string message{};
  std::vector<std::string> causes{};
  std::uint32_t retry_after_ms = 0;
  std::optional<Json> object{};  ///< Of a successful request; without one for a Status.
  std::int64_t version = 0;      ///< Of the change that the request made; 0: none.

  [[nodiscard]] bool ok() const { return http_status >= 200 && http_status < 300; }

  /// The code that the host makes of status and reason.
  [[nodiscard]] davit_code code() const {
    if (ok()) return DAVIT_OK;
    switch (http_status) {
      case 400:
      case 413:
      case 415:
      case 422:
        return DAVIT_INVALID;
      case 401:
      case 403:
        return DAVIT_FORBIDDEN;
      case 404:
        return DAVIT_NOT_FOUND;
      case 409:
        return reason == "AlreadyExists" ? DAVIT_ALREADY_EXISTS : DAVIT_CONFLICT;
      case 410:
        return DAVIT_EXPIRED;
      case 429:
        return DAVIT_THROTTLED;
      case 405:
        return DAVIT_UNSUPPORTED;
      default:
        return http_status == 0 || http_status >= 500 ? DAVIT_UNAVAILABLE : DAVIT_INTERNAL;
    }
  }

  [[nodiscard]] static ApiReply failure(int http_status, std::string reason, std::string message) {
    return {.http_status = http_status, .reason = std::move(reason), .message = std::move(message)};
  }
};

/// "ReplicaSet" → "replicasets".
[[nodiscard]] inline std::string plural_of(std::string_view kind) {
  std::string plural;
  for (const char c : kind) plural.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  if (plural == "endpoints") return plural;
  if (plural.ends_with("s")) return plural + "es";
  if (plural.ends_with("cy")) return plural.substr(0, plural.size() - 1) + "ies";
  return plural + "s";
}

/// The kind of a resource that controllers in this tree create; "" for others.
[[nodiscard]] inline std::string kind_of_plural(std::string_view resource) {
  for (const char* kind : {"Pod", "ReplicaSet", "Deployment", "Node", "Lease", "ConfigMap",
                           "Endpoints", "EndpointSlice", "Service", "ControllerRevision"}) {
    if (plural_of(kind) == resource) return kind;
  }
  return {};
}

/// "pods", "replicasets.apps": how the server's messages call a resource.
[[nodiscard]] inline std::string qualified(std::string_view group, std::string_view resource) {
  return group.empty() ? std::string(resource) : std::string(resource) + "." + std::string(group);
}

}  // namespace davit::testing

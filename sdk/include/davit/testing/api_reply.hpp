/// Replies of the test cluster's API server.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/testing/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Marks what the library davit::testing exports; all else in it is hidden.
#define DAVIT_TESTING_API __attribute__((visibility("default")))

namespace davit::testing {

struct ApiReply {
  int http_status = 200;       ///< 0: no response arrived.
  davit_code code = DAVIT_OK;  ///< What the host makes of status and reason.
  std::string reason{};
  std::string message{};
  std::vector<std::string> causes{};
  std::uint32_t retry_after_ms = 0;
  std::optional<Json> object{};  ///< Of a successful request, a Status included.
  std::int64_t version = 0;      ///< Of the change that the request made; 0: none.

  [[nodiscard]] bool ok() const { return code == DAVIT_OK; }

  /// What a client gets of this failure; status 0: the connection broke.
  [[nodiscard]] DAVIT_TESTING_API static ApiReply failure(int http_status, std::string_view reason,
                                                          std::string_view message,
                                                          std::vector<std::string> causes = {});
};

/// "pods", "replicasets.apps": how the server's messages call a resource.
[[nodiscard]] inline std::string qualified(std::string_view group, std::string_view resource) {
  return group.empty() ? std::string(resource) : std::string(resource) + "." + std::string(group);
}

}  // namespace davit::testing

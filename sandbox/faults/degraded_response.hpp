/// Responses that come late, slowly or not to the end.
#pragma once

#include <cstddef>
#include <optional>

#include "lib/net/http_message.hpp"

namespace davit::sandbox {

struct Degradation {
  Duration delay{0};                 ///< Before the first byte.
  std::size_t bytes_per_second = 0;  ///< 0: as fast as possible.
  /// A body of at least this size breaks off here. A stream does not: FaultStream cuts it between
  /// events.
  std::optional<std::size_t> cut_after = std::nullopt;
};

/// `response` as a client gets it. A delayed one is deferred; callers that do not wait see it
/// undegraded. A slow or cut body becomes a stream, which need not give whole events. `clock` must
/// outlive the result.
[[nodiscard]] HttpServerResponse degraded(HttpServerResponse response,
                                          const Degradation& degradation, const Clock& clock);

}  // namespace davit::sandbox

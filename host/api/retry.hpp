/// When a request is sent again, and after how long (client-go/rest/with_retry.go). Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/net/transport.hpp"

namespace davit::host {

enum class CallKind { kRead, kWrite, kWatch };

/// The outcome of one attempt.
struct Attempt {
  int http_status = 0;  ///< 0: no response.
  std::optional<std::uint32_t> retry_after_seconds;
  Break broken = Break::kNone;  ///< Before the response began; a cut body is never repeated here.
};

inline constexpr int kRetriesMax = 10;

/// The delay before the next attempt, or nothing if this one is final. `retries` were made already.
///
/// 429 and 5xx with Retry-After mean "not processed", so the method does not matter; a lost
/// connection is repeated only where the request changes nothing.
[[nodiscard]] constexpr std::optional<Duration> retry_delay(CallKind kind, const Attempt& attempt,
                                                            int retries) {
  if (retries >= kRetriesMax) return std::nullopt;
  if (attempt.broken == Break::kNone) {
    const bool asked = attempt.http_status == 429 || attempt.http_status >= 500;
    if (!asked || !attempt.retry_after_seconds) return std::nullopt;
    return std::chrono::seconds(*attempt.retry_after_seconds);
  }
  const bool lost = attempt.broken == Break::kReset && kind != CallKind::kWrite;
  const bool slow_watch = attempt.broken == Break::kTimeout && kind == CallKind::kWatch;
  if (lost || slow_watch) return std::chrono::seconds(1);
  return std::nullopt;
}

}  // namespace davit::host

/// When a request is sent again, and after how long (client-go/rest/with_retry.go). Pure.
#pragma once

#include <cstdint>
#include <davit/mutant.hpp>
#include <optional>

#include "lib/net/transport.hpp"

namespace davit::host {

/// kWriteOnce: a write that would do something else the second time, as a create does.
enum class CallKind { kRead, kWrite, kWriteOnce, kWatch };

/// The outcome of one attempt.
struct Attempt {
  int http_status = 0;  ///< 0: no response.
  std::optional<std::uint32_t> retry_after_seconds;
  Break broken = Break::kNone;  ///< Before the response began; a cut body is never repeated here.
};

inline constexpr int kRetriesMax = 10;

/// The delay before the next attempt, or nothing if this one is final. `retries` were made already.
///
/// 429 with Retry-After means "not processed", so every method is repeated. 5xx should mean the
/// same, but a proxy, or a server that gives up halfway, also sends it: kWriteOnce is not repeated.
/// After a lost connection, a request is repeated only if it changes nothing.
[[nodiscard]] inline std::optional<Duration> retry_delay(CallKind kind, const Attempt& attempt,
                                                         int retries) {
  if (retries >= kRetriesMax) return std::nullopt;
  if (attempt.broken == Break::kNone) {
    const bool asked = attempt.http_status == 429 || attempt.http_status >= 500;
    if (!asked || !attempt.retry_after_seconds) return std::nullopt;
    if (attempt.http_status >= 500 && kind == CallKind::kWriteOnce && !mutant("post-once")) {
      return std::nullopt;
    }
    return std::chrono::seconds(*attempt.retry_after_seconds);
  }
  const bool changes_nothing = kind == CallKind::kRead || kind == CallKind::kWatch;
  const bool lost = attempt.broken == Break::kReset && changes_nothing;
  const bool slow_watch = attempt.broken == Break::kTimeout && kind == CallKind::kWatch;
  if (lost || slow_watch) return std::chrono::seconds(1);
  return std::nullopt;
}

}  // namespace davit::host

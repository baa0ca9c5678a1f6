/// Code that the capability tables share. Every function of a table first finds out whether
/// the caller is inside a call of its own controller that may use it, as its @call mark in abi.h
/// says. Included by those files only.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/guard.hpp"

namespace davit::host {

/// The callers of the @call marks.
inline constexpr unsigned kInitCall = 1U << static_cast<unsigned>(Phase::kInit);
inline constexpr unsigned kHandlerCall = 1U << static_cast<unsigned>(Phase::kHandler);
inline constexpr unsigned kSyncCall = 1U << static_cast<unsigned>(Phase::kSync);
inline constexpr unsigned kAnyCall =
    kInitCall | kHandlerCall | kSyncCall | 1U << static_cast<unsigned>(Phase::kProbe);

/// The frame that this thread is in when the call is allowed there, else null.
[[nodiscard]] inline CallFrame* enter(davit_host* host, unsigned callers) {
  if (host == nullptr) return nullptr;
  CallFrame* frame = CallFrame::current(host);
  if (frame == nullptr || (callers & (1U << static_cast<unsigned>(frame->phase()))) == 0) {
    host->observe_refusal("a call from a place from which abi.h does not allow it");
    return nullptr;
  }
  return frame;
}

/// A struct as a plugin passed it, with members that its version lacks taken as zero.
template <typename T>
[[nodiscard]] T received(const void* from, std::size_t size) {
  T out{};
  std::memcpy(&out, from, std::min(size, sizeof(T)));
  out.size = sizeof(T);
  return out;
}
template <typename T>
[[nodiscard]] T received(const T* from) {
  return received<T>(from, from->size);
}

/// Whether an array that a plugin passed is there.
[[nodiscard]] inline bool is_there(const void* array, std::size_t count) {
  return array != nullptr || count == 0;
}

/// The result of a host function when memory or threads have run out: a code that makes the caller
/// try again, or an empty value if the function returns no code.
template <typename Returned>
inline constexpr Returned kFailed{};
template <>
inline constexpr davit_code kFailed<davit_code> = DAVIT_INTERNAL;

/// `kBody` as it stands in a table: it never throws. What went wrong can be had as the text of the
/// call's error.
template <auto kBody, auto... kOnFailure>
struct HostFunction;
template <typename Returned, typename... Args, Returned (*kBody)(davit_host*, Args...),
          auto... kOnFailure>
struct HostFunction<kBody, kOnFailure...> {
  static Returned call(davit_host* host, Args... args) noexcept {
    const auto note = [host](std::string_view why) {
      if (CallFrame* frame = enter(host, kAnyCall)) {
        frame->set_error(std::string("the host has no resources left: ").append(why));
      }
    };
    const auto body = [&]() -> Returned { return kBody(host, args...); };
    if constexpr (std::is_void_v<Returned>) {
      (void)shielded([&] { return body(), 0; }, 0, note);
    } else if constexpr (sizeof...(kOnFailure) == 1) {
      return shielded(body, Returned{kOnFailure...}, note);
    } else {
      return shielded(body, kFailed<Returned>, note);
    }
  }
};
template <auto kBody, auto... kOnFailure>
inline constexpr auto host_function = &HostFunction<kBody, kOnFailure...>::call;

template <typename Table, typename... Functions>
[[nodiscard]] constexpr Table table_of(Functions... functions) {
  return Table{sizeof(Table), 0, functions...};
}

/// The tables, one for each capability; they live as long as the process.
[[nodiscard]] const davit_object_v1& object_table();
extern const davit_informer_v1 kInformerTable;
extern const davit_queue_v1 kQueueTable;
extern const davit_client_v1 kClientTable;
extern const davit_timer_v1 kTimerTable;
extern const davit_event_v1 kEventTable;
extern const davit_log_v1 kLogTable;
extern const davit_clock_v1 kClockTable;
extern const davit_random_v1 kRandomTable;
extern const davit_metric_v1 kMetricTable;
extern const davit_config_v1 kConfigTable;
extern const davit_freshness_v1 kFreshnessTable;
extern const davit_discovery_v1 kDiscoveryTable;
extern const davit_informer_v2 kDynamicInformerTable;

}  // namespace davit::host

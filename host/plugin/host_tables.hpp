/// Code that the capability tables share. Each function of a table is a HostFunction, which checks
/// the caller. Included by those files only.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/loading/capabilities.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/received.hpp"

namespace davit::host {

/// The callers of the @call marks.
[[nodiscard]] constexpr unsigned caller(Phase phase) { return 1U << static_cast<unsigned>(phase); }
inline constexpr unsigned kInitCall = caller(Phase::kInit);
inline constexpr unsigned kHandlerCall = caller(Phase::kHandler);
inline constexpr unsigned kSyncCall =
    caller(Phase::kSync) | caller(Phase::kTimer) | caller(Phase::kProvider);
inline constexpr unsigned kAnyCall =
    kInitCall | kHandlerCall | kSyncCall | caller(Phase::kProbe) | caller(Phase::kDestroy);
inline constexpr unsigned kReadCall = kHandlerCall | kSyncCall;

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

/// Notes and reports a call in a phase in which abi.h does not allow it.
void refuse_phase(CallFrame& frame, std::string_view function);

/// The name of a function of ours, "queue_add".
template <auto kBody>
[[nodiscard]] constexpr std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.find_first_of(";]", text.find("kBody = ")));
  return text.substr(text.find_last_of(":= ") + 1);
}

/// Counts a use of a call that has ended, or on a thread that is not in it.
void note_stray_call(const davit_call* call, davit_code code) noexcept;

/// The table entry for `kBody`: runs only inside a call of one of `kCallers`, on the thread of that
/// call, and never throws. The last error of the call describes a failure.
template <auto kBody, unsigned kCallers, auto... kOnFailure>
struct HostFunction;
template <typename Returned, typename... Args, Returned (*kBody)(CallFrame&, Args...),
          unsigned kCallers, auto... kOnFailure>
struct HostFunction<kBody, kCallers, kOnFailure...> {
  static Returned call(const davit_call* call, Args... args) noexcept {
    const CallFrame::Found found = CallFrame::find(call);
    if (found.frame == nullptr) {
      note_stray_call(call, found.code);
      return refused(found.code);
    }
    CallFrame& frame = *found.frame;
    if ((kCallers & caller(frame.phase())) == 0) {
      (void)shielded([&] { return refuse_phase(frame, name_of<kBody>()), 0; }, 0,
                     [](std::string_view) {});
      return refused(DAVIT_MISUSE);
    }
    const auto note = [&frame](std::string_view why) {
      (void)frame.fail(
          Status(Code::kInternal, "the host has no resources left: " + std::string(why)));
    };
    if constexpr (std::is_void_v<Returned>) {
      (void)shielded([&] { return kBody(frame, args...), 0; }, 0, note);
    } else {
      const Returned returned = shielded([&] { return kBody(frame, args...); }, on_failure(), note);
      if constexpr (has_code()) {
        if (returned != DAVIT_OK) {
          (void)shielded([&] { return frame.note_failure(returned, name_of<kBody>()), 0; }, 0,
                         [](std::string_view) {});
        }
      }
      return returned;
    }
  }

 private:
  static Returned refused(davit_code code) {
    if constexpr (has_code()) {
      return code;
    } else if constexpr (!std::is_void_v<Returned>) {
      return Returned{};
    }
  }
  /// A davit_code is an int32_t, which may also be something else: that fails with zero.
  static constexpr bool has_code() {
    if constexpr (std::is_same_v<Returned, davit_code>) {
      return on_failure() != DAVIT_OK;
    } else {
      return false;
    }
  }
  static constexpr auto on_failure() {
    if constexpr (sizeof...(kOnFailure) == 1) {
      return Returned{kOnFailure...};
    } else {
      return kFailed<Returned>;
    }
  }
};
template <auto kBody, unsigned kCallers, auto... kOnFailure>
inline constexpr auto host_function = &HostFunction<kBody, kCallers, kOnFailure...>::call;

template <typename Table, typename... Functions>
[[nodiscard]] constexpr Table table_of(Functions... functions) {
  return Table{sizeof(Table), 0, functions...};
}

/// The table of each capability; it lives as long as the process.
[[nodiscard]] const void* host_table(Capability<davit_object_v1>);
[[nodiscard]] const void* host_table(Capability<davit_informer_v1>);
[[nodiscard]] const void* host_table(Capability<davit_queue_v1>);
[[nodiscard]] const void* host_table(Capability<davit_client_v1>);
[[nodiscard]] const void* host_table(Capability<davit_timer_v1>);
[[nodiscard]] const void* host_table(Capability<davit_event_v1>);
[[nodiscard]] const void* host_table(Capability<davit_log_v1>);
[[nodiscard]] const void* host_table(Capability<davit_clock_v1>);
[[nodiscard]] const void* host_table(Capability<davit_random_v1>);
[[nodiscard]] const void* host_table(Capability<davit_metric_v1>);
[[nodiscard]] const void* host_table(Capability<davit_config_v1>);
[[nodiscard]] const void* host_table(Capability<davit_freshness_v1>);
[[nodiscard]] const void* host_table(Capability<davit_discovery_v1>);
[[nodiscard]] const void* host_table(Capability<davit_informer_v2>);
[[nodiscard]] const void* host_table(Capability<davit_waker_v1>);
[[nodiscard]] const void* host_table(Capability<davit_http_v1>);
[[nodiscard]] const void* host_table(Capability<davit_cloud_v1>);
[[nodiscard]] const void* host_table(Capability<davit_cloud_host_v1>);

}  // namespace davit::host

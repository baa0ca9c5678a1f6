/// The host's function tables as one controller holds them. Everything else in the SDK is a typed
/// layer over this; controllers seldom touch it.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <davit/call.hpp>
#include <davit/names.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// Borrows `text` for the duration of a call.
[[nodiscard]] constexpr davit_str to_c(std::string_view text) { return {text.data(), text.size()}; }

/// The same lifetime as `text`.
[[nodiscard]] constexpr std::string_view from_c(davit_str text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

/// Reads a struct or table that begins with its size: members beyond that are zero. Those of the
/// first release are always there.
template <typename T>
void read_sized(const void* from, T& to) {
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof(size));
  std::memcpy(&to, from, std::min<std::size_t>(size, sizeof(T)));
}

/// A sink that appends to `out`, which must outlive the call that gets it.
[[nodiscard]] davit_sink append_to(std::string& out);

/// The host as one controller sees it. Lives as long as the controller, at one address.
struct Api {
  Api() = default;
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// This thread's current call, which every function of the tables takes; null outside calls.
  [[nodiscard]] const davit_call* call() const {
    return outside != nullptr ? outside : detail::current_call.raw;
  }

  /// A call for a reader that is outside the host's calls, as a test is; else null.
  const davit_call* outside = nullptr;
  void (*error_text)(const davit_call*, davit_str) = nullptr;
  davit_code (*last_error)(const davit_call*, davit_error*) = nullptr;
  const davit_object_v1* object = nullptr;
  const davit_informer_v1* informer = nullptr;
  const davit_queue_v1* queue = nullptr;
  const davit_client_v1* client = nullptr;
  const davit_timer_v1* timer = nullptr;
  const davit_event_v1* event = nullptr;
  const davit_log_v1* log = nullptr;
  const davit_clock_v1* clock = nullptr;
  const davit_random_v1* random = nullptr;
  const davit_metric_v1* metric = nullptr;
  const davit_config_v1* config = nullptr;
  const davit_freshness_v1* freshness = nullptr;        ///< Null on a host without it.
  const davit_discovery_v1* discovery = nullptr;        ///< Likewise.
  const davit_informer_v2* dynamic_informer = nullptr;  ///< Likewise.
  const davit_waker_v1* waker = nullptr;                ///< Likewise.
  const davit_http_v1* http = nullptr;                  ///< Likewise.
  Names names;

  /// Fills this from what the host passed to init, inside that call. Fails when the host lacks a
  /// capability.
  [[nodiscard]] Status open(const davit_context& context);

  /// The interned form of a member name; resolve it at init and keep it.
  [[nodiscard]] Name intern(std::string_view text) const {
    return Name{object->name(call(), to_c(text))};
  }

  /// Why the last function of the host failed in this call; ok if none has.
  [[nodiscard]] Status failure() const;
  /// The error of a function of the host that has just returned `code`, with the host's text;
  /// `fallback` where it gives none.
  [[nodiscard]] Status failure_of(davit_code code, std::string_view fallback) const;

 private:
  /// The host's tables as far as it has them: members that it lacks are null.
  struct Tables {
    davit_object_v1 object;
    davit_informer_v1 informer;
    davit_queue_v1 queue;
    davit_client_v1 client;
    davit_timer_v1 timer;
    davit_event_v1 event;
    davit_log_v1 log;
    davit_clock_v1 clock;
    davit_random_v1 random;
    davit_metric_v1 metric;
    davit_config_v1 config;
    davit_freshness_v1 freshness;
    davit_discovery_v1 discovery;
    davit_informer_v2 dynamic_informer;
    davit_waker_v1 waker;
    davit_http_v1 http;
  };
  Tables tables_{};
};

/// The C form of a code; the values are the same.
[[nodiscard]] constexpr davit_code to_c(Code code) { return static_cast<davit_code>(code); }
static_assert(
    to_c(Code::kOk) == DAVIT_OK && to_c(Code::kNotFound) == DAVIT_NOT_FOUND &&
    to_c(Code::kAlreadyExists) == DAVIT_ALREADY_EXISTS && to_c(Code::kConflict) == DAVIT_CONFLICT &&
    to_c(Code::kInvalid) == DAVIT_INVALID && to_c(Code::kForbidden) == DAVIT_FORBIDDEN &&
    to_c(Code::kExpired) == DAVIT_EXPIRED && to_c(Code::kThrottled) == DAVIT_THROTTLED &&
    to_c(Code::kUnavailable) == DAVIT_UNAVAILABLE && to_c(Code::kCancelled) == DAVIT_CANCELLED &&
    to_c(Code::kUndeclared) == DAVIT_UNDECLARED && to_c(Code::kWrongType) == DAVIT_WRONG_TYPE &&
    to_c(Code::kStale) == DAVIT_STALE && to_c(Code::kMisuse) == DAVIT_MISUSE &&
    to_c(Code::kUnsupported) == DAVIT_UNSUPPORTED && to_c(Code::kInternal) == DAVIT_INTERNAL);

/// Unknown codes stay what they are: the set is open.
[[nodiscard]] constexpr Code from_c(davit_code code) { return static_cast<Code>(code); }

/// The error of a response, or of a call. `causes` are separated by commas.
[[nodiscard]] Status to_status(davit_code code, std::string_view message, ApiDetail detail,
                               std::string_view causes);

}  // namespace davit

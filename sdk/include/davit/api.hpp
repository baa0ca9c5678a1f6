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
#include <tuple>
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
[[nodiscard]] inline davit_sink append_to(std::string& out) {
  return {sizeof(davit_sink), 0, &out, [](void* self, davit_str chunk) -> davit_code {
            static_cast<std::string*>(self)->append(from_c(chunk));
            return DAVIT_OK;
          }};
}

/// The host as one controller sees it. Lives as long as the controller, at one address.
struct Api {
  Api() = default;
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// The call that this thread is in, which every function of the tables wants; null outside calls.
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
  [[nodiscard]] Status open(const davit_context& context) {
    error_text = context.error_text;
    last_error = context.last_error;
    Status status;
    find(context, "davit.object/1", object, status);
    find(context, "davit.informer/1", informer, status);
    find(context, "davit.queue/1", queue, status);
    find(context, "davit.client/1", client, status);
    find(context, "davit.timer/1", timer, status);
    find(context, "davit.event/1", event, status);
    find(context, "davit.log/1", log, status);
    find(context, "davit.clock/1", clock, status);
    find(context, "davit.random/1", random, status);
    find(context, "davit.metric/1", metric, status);
    find(context, "davit.config/1", config, status);
    Status optional;
    find(context, "davit.freshness/1", freshness, optional);
    find(context, "davit.discovery/1", discovery, optional);
    find(context, "davit.informer/2", dynamic_informer, optional);
    find(context, "davit.waker/1", waker, optional);
    find(context, "davit.http/1", http, optional);
    if (!status.ok()) return status;
    names = Names::resolve([this](std::string_view text) { return intern(text).id; });
    return status;
  }

  /// The interned form of a member name; resolve it at init and keep it.
  [[nodiscard]] Name intern(std::string_view text) const {
    return Name{object->name(call(), to_c(text))};
  }

  /// Why the last function of the host failed in this call; ok if none has.
  [[nodiscard]] Status failure() const;

 private:
  template <typename Table>
  void find(const davit_context& context, std::string_view id, const Table*& out, Status& status) {
    const void* const table = context.capability(call(), to_c(id));
    if (table != nullptr) {
      out = &std::get<Table>(tables_);
      read_sized(table, std::get<Table>(tables_));
    } else if (status.ok()) {
      status = Status(Code::kUnsupported, "the host lacks the capability " + std::string(id));
    }
  }

  /// The host's tables as far as it has them: members that it lacks are null.
  std::tuple<davit_object_v1, davit_informer_v1, davit_queue_v1, davit_client_v1, davit_timer_v1,
             davit_event_v1, davit_log_v1, davit_clock_v1, davit_random_v1, davit_metric_v1,
             davit_config_v1, davit_freshness_v1, davit_discovery_v1, davit_informer_v2,
             davit_waker_v1, davit_http_v1>
      tables_{};
};

/// The C form of a code; the values are the same.
[[nodiscard]] constexpr davit_code to_c(Code code) { return static_cast<davit_code>(code); }

/// Unknown codes stay what they are: the set is open.
[[nodiscard]] constexpr Code from_c(davit_code code) { return static_cast<Code>(code); }

/// The error of a response, or of a call. `causes` are separated by commas.
[[nodiscard]] inline Status to_status(davit_code code, std::string_view message, ApiDetail detail,
                                      std::string_view causes) {
  while (!causes.empty()) {
    const std::size_t comma = causes.find(',');
    detail.causes.emplace_back(causes.substr(0, comma));
    causes = comma == std::string_view::npos ? std::string_view() : causes.substr(comma + 1);
  }
  std::string text(message);
  if (text.empty()) text = "the host answered with code " + std::to_string(code);
  return Status(from_c(code), std::move(text), std::move(detail));
}

inline Status Api::failure() const {
  davit_error error{};
  error.size = sizeof(error);
  if (last_error(call(), &error) != DAVIT_OK || error.code == DAVIT_OK) return {};
  ApiDetail detail;
  detail.http_status = error.http_status;
  detail.reason = from_c(error.reason);
  detail.retry_after_ms = error.retry_after_ms;
  return to_status(error.code, from_c(error.message), std::move(detail), from_c(error.causes));
}

}  // namespace davit

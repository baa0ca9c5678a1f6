/// The host's function tables as one controller holds them. Everything else in the SDK is a typed
/// layer over this; controllers seldom touch it.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstdint>
#include <davit/names.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit {

/// Borrows `text` for the duration of a call.
[[nodiscard]] constexpr davit_str to_c(std::string_view text) { return {text.data(), text.size()}; }

/// The same lifetime as `text`.
[[nodiscard]] constexpr std::string_view from_c(davit_str text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

/// A sink that appends to `out`, which must outlive the call that gets it.
[[nodiscard]] inline davit_sink append_to(std::string& out) {
  return {&out, [](void* self, davit_str chunk) {
            static_cast<std::string*>(self)->append(from_c(chunk));
          }};
}

/// The host as one controller sees it. Lives as long as the controller, at one address.
struct Api {
  Api() = default;
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  davit_host* host = nullptr;
  void (*error_text)(davit_host*, davit_str) = nullptr;
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
  const davit_freshness_v1* freshness = nullptr;        ///< Null on a host of ABI 1.0.
  const davit_discovery_v1* discovery = nullptr;        ///< Likewise.
  const davit_informer_v2* dynamic_informer = nullptr;  ///< Likewise.
  Names names;

  /// Set by a read outside the projection, cleared by the trampoline that reports it. Relaxed:
  /// it carries no other data, and with several workers any of them may do the reporting.
  mutable std::atomic<bool> read_undeclared{false};

  /// Fills this from what the host passed to init. Fails when the host lacks a capability.
  [[nodiscard]] Status open(const davit_context& context) {
    host = context.host;
    error_text = context.error_text;
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
    if (!status.ok()) return status;
    names = Names::resolve([this](std::string_view text) { return intern(text).id; });
    return status;
  }

  /// The interned form of a member name; resolve it at init and keep it.
  [[nodiscard]] Name intern(std::string_view text) const {
    return Name{object->name(host, to_c(text))};
  }

 private:
  template <typename Table>
  static void find(const davit_context& context, std::string_view id, const Table*& out,
                   Status& status) {
    out = static_cast<const Table*>(context.capability(context.host, to_c(id)));
    // A table that is shorter than ours comes from a host older than its published revision.
    if (out != nullptr && out->size >= sizeof(Table)) return;
    out = nullptr;
    if (status.ok()) {
      status = Status(Code::kUnsupported, "the host lacks the capability " + std::string(id));
    }
  }
};

/// The C form of a code; the values are the same.
[[nodiscard]] constexpr davit_code to_c(Code code) { return static_cast<davit_code>(code); }

/// Unknown codes stay what they are: the set is open.
[[nodiscard]] constexpr Code from_c(davit_code code) { return static_cast<Code>(code); }

}  // namespace davit

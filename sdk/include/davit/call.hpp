/// The call of the host that this thread is in, and what may be known of it.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace davit {
namespace detail {

/// The SDK's knowledge of the call that a thread is in.
struct CurrentCall {
  const davit_call* raw = nullptr;
  bool read_undeclared = false;        ///< It has read a field outside the projection.
  davit_code refused = DAVIT_OK;       ///< The first refusal that no result shows.
  const char* refused_what = nullptr;  ///< Its verb and object; a literal.
};
inline constinit thread_local CurrentCall current_call;

/// Fails the call that this thread is in, since the caller gets no result that it could look at.
/// `what` is a literal. Outside calls no host can be reached, so a line on stderr has to do.
void note_refusal(davit_code code, const char* what);

/// The scope of one call, in a trampoline.
class CallScope {
 public:
  explicit CallScope(const davit_call* call) : outer_(std::exchange(current_call, {.raw = call})) {}
  ~CallScope() { current_call = outer_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const CurrentCall outer_;
};

}  // namespace detail

/// The call in which the controller's code runs: an InitFunc, a handler, a sync, a timer, a probe.
/// Borrowed: good until that code returns, on its thread.
class HostCall {
 public:
  /// Given by Context::call(). `raw` may be null: outside any call.
  explicit HostCall(const davit_call* raw) : raw_(raw) {}

  /// The result is not waited for any more, because the host stops or swaps: end soon. Requests end
  /// with kCancelled then.
  [[nodiscard]] bool is_cancelled() const { return raw_ == nullptr || raw_->cancelled(raw_) != 0; }
  /// Whether this replica may act now: it holds the lease, or the controller needs none. A standby
  /// does not. It may change at any time; the host checks each write by itself.
  [[nodiscard]] bool leads() const { return raw_ != nullptr && raw_->leads(raw_) != 0; }
  /// When the host reports the call as overdue, as Context::now(); nothing: never.
  [[nodiscard]] std::optional<Time> deadline() const {
    if (raw_ == nullptr || raw_->deadline_ns == 0) return std::nullopt;
    return Time(Duration(raw_->deadline_ns));
  }
  /// The number of times in a row that this key or timer has failed before.
  [[nodiscard]] std::uint32_t attempt() const { return raw_ == nullptr ? 0 : raw_->attempt; }
  /// The W3C trace id of the work; empty without tracing.
  [[nodiscard]] std::string_view trace_id() const {
    if (raw_ == nullptr || raw_->trace_id.size == 0) return {};
    return {raw_->trace_id.data, raw_->trace_id.size};
  }

 private:
  const davit_call* raw_;
};

}  // namespace davit

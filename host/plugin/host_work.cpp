/// "davit.queue/1", "davit.timer/1" and "davit.waker/1".
#include "host/plugin/host_abi.hpp"
#include "host/plugin/host_tables.hpp"
#include "host/plugin/waker.hpp"

namespace davit::host {
namespace {

// ---- davit.queue/1

davit_code queue_open(CallFrame& frame, const davit_queue_options* options, davit_handle* out) {
  if (options == nullptr || out == nullptr) return DAVIT_MISUSE;
  return frame.controller().work.open_queue(received(options), *out);
}

/// Runs `use(queue)` when the handle is right.
template <typename Use>
davit_code with_queue(CallFrame& frame, davit_handle handle, Use use) {
  ControllerQueue* const queue = frame.controller().work.queue(handle);
  if (queue == nullptr) return DAVIT_STALE;
  use(*queue);
  return DAVIT_OK;
}

/// The same for a `use` that adds `key`.
template <typename Use>
davit_code add_to_queue(CallFrame& frame, davit_handle handle, davit_str key, Use use) {
  return with_queue(frame, handle, [&](ControllerQueue& queue) {
    frame.note_wake(handle, view(key));
    use(queue);
  });
}

davit_code queue_add_sharded(CallFrame& frame, davit_handle handle, davit_str key,
                             davit_str shard) {
  return add_to_queue(frame, handle, key,
                      [&](ControllerQueue& queue) { queue.add(QueueKey(view(key), view(shard))); });
}

davit_code queue_add(CallFrame& frame, davit_handle handle, davit_str key) {
  return queue_add_sharded(frame, handle, key, davit_str{});
}

davit_code queue_add_after(CallFrame& frame, davit_handle handle, davit_str key,
                           std::uint64_t delay_ms) {
  return add_to_queue(frame, handle, key, [&](ControllerQueue& queue) {
    queue.add_after(view(key), milliseconds_of(delay_ms));
  });
}

davit_code queue_add_rate_limited(CallFrame& frame, davit_handle handle, davit_str key) {
  return add_to_queue(frame, handle, key,
                      [&](ControllerQueue& queue) { queue.add_rate_limited(view(key)); });
}

davit_code queue_forget(CallFrame& frame, davit_handle handle, davit_str key) {
  return with_queue(frame, handle, [&](ControllerQueue& queue) { queue.forget(view(key)); });
}

std::uint32_t queue_failures(CallFrame& frame, davit_handle handle, davit_str key) {
  std::uint32_t failures = 0;
  (void)with_queue(frame, handle,
                   [&](ControllerQueue& queue) { failures = queue.failures(view(key)); });
  return failures;
}

// ---- davit.timer/1

davit_code timer_start(CallFrame& frame, const davit_timer_options* options, davit_handle* out) {
  if (options == nullptr || out == nullptr) return DAVIT_MISUSE;
  return frame.controller().work.start_timer(received(options), *out);
}

davit_code timer_stop(CallFrame& frame, davit_handle handle) {
  return frame.controller().work.stop_timer(handle);
}

// ---- davit.waker/1

davit_code waker_open(CallFrame& frame, davit_handle queue, davit_waker** out) {
  if (out == nullptr) return DAVIT_MISUSE;
  *out = frame.controller().work.open_waker(queue);
  return *out == nullptr ? DAVIT_STALE : DAVIT_OK;
}

davit_code waker_wake(davit_waker* waker, davit_str key) noexcept {
  if (waker == nullptr) return DAVIT_MISUSE;
  return shielded([&] { return waker->wake(view(key)); }, davit_code{DAVIT_INTERNAL},
                  [](std::string_view) {});
}

void waker_retain(davit_waker* waker) noexcept {
  if (waker != nullptr) waker->retain();
}

void waker_release(davit_waker* waker) noexcept {
  if (waker != nullptr) waker->release();
}

}  // namespace

const void* host_table(Capability<davit_queue_v1>) {
  static constexpr davit_queue_v1 kTable = table_of<davit_queue_v1>(
      host_function<queue_open, kInitCall>, host_function<queue_add, kAnyCall>,
      host_function<queue_add_sharded, kAnyCall>, host_function<queue_add_after, kAnyCall>,
      host_function<queue_add_rate_limited, kAnyCall>, host_function<queue_forget, kAnyCall>,
      host_function<queue_failures, kAnyCall>);
  return &kTable;
}
const void* host_table(Capability<davit_timer_v1>) {
  static constexpr davit_timer_v1 kTable = table_of<davit_timer_v1>(
      host_function<timer_start, kAnyCall>, host_function<timer_stop, kAnyCall>);
  return &kTable;
}
const void* host_table(Capability<davit_waker_v1>) {
  static constexpr davit_waker_v1 kTable = table_of<davit_waker_v1>(
      host_function<waker_open, kAnyCall>, waker_wake, waker_retain, waker_release);
  return &kTable;
}

}  // namespace davit::host

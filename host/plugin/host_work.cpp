/// "davit.queue/1" and "davit.timer/1".
#include "host/plugin/host_abi.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

// ---- davit.queue/1

davit_code queue_open(davit_host* host, const davit_queue_options* options, davit_handle* out) {
  if (enter(host, kInitCall) == nullptr || options == nullptr || out == nullptr) {
    return DAVIT_MISUSE;
  }
  return host->work.open_queue(received(options), *out);
}

/// Runs `use(queue)` when caller and handle are right.
template <typename Use>
davit_code with_queue(davit_host* host, davit_handle handle, Use use) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  ControllerQueue* const queue = host->work.queue(handle);
  if (queue == nullptr) return DAVIT_STALE;
  use(*queue);
  return DAVIT_OK;
}

davit_code queue_add_sharded(davit_host* host, davit_handle handle, davit_str key,
                             davit_str shard) {
  return with_queue(host, handle,
                    [&](ControllerQueue& queue) { queue.add(QueueKey(view(key), view(shard))); });
}

davit_code queue_add(davit_host* host, davit_handle handle, davit_str key) {
  return queue_add_sharded(host, handle, key, davit_str{});
}

davit_code queue_add_after(davit_host* host, davit_handle handle, davit_str key,
                           std::uint64_t delay_ms) {
  return with_queue(host, handle, [&](ControllerQueue& queue) {
    queue.add_after(view(key), milliseconds_of(delay_ms));
  });
}

davit_code queue_add_rate_limited(davit_host* host, davit_handle handle, davit_str key) {
  return with_queue(host, handle,
                    [&](ControllerQueue& queue) { queue.add_rate_limited(view(key)); });
}

davit_code queue_forget(davit_host* host, davit_handle handle, davit_str key) {
  return with_queue(host, handle, [&](ControllerQueue& queue) { queue.forget(view(key)); });
}

std::uint32_t queue_failures(davit_host* host, davit_handle handle, davit_str key) {
  std::uint32_t failures = 0;
  (void)with_queue(host, handle,
                   [&](ControllerQueue& queue) { failures = queue.failures(view(key)); });
  return failures;
}

// ---- davit.timer/1

davit_code timer_start(davit_host* host, const davit_timer_options* options, davit_handle* out) {
  if (enter(host, kAnyCall) == nullptr || options == nullptr || out == nullptr) {
    return DAVIT_MISUSE;
  }
  return host->work.start_timer(received(options), *out);
}

davit_code timer_stop(davit_host* host, davit_handle handle) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  return host->work.stop_timer(handle);
}

}  // namespace

constexpr davit_queue_v1 kQueueTable = table_of<davit_queue_v1>(
    host_function<queue_open>, host_function<queue_add>, host_function<queue_add_sharded>,
    host_function<queue_add_after>, host_function<queue_add_rate_limited>,
    host_function<queue_forget>, host_function<queue_failures>);
constexpr davit_timer_v1 kTimerTable =
    table_of<davit_timer_v1>(host_function<timer_start>, host_function<timer_stop>);

}  // namespace davit::host

/// The host side of abi.h: the capability tables, over ControllerHost. Every function first finds
/// out whether the caller is inside a call of its own controller that may use it, as its @call mark
/// says.
#include "host/plugin/host_abi.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "host/object/abi.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/controller_host.hpp"

namespace davit::host {
namespace {

/// The callers of the @call marks.
constexpr unsigned kInitCall = 1U << static_cast<unsigned>(Phase::kInit);
constexpr unsigned kHandlerCall = 1U << static_cast<unsigned>(Phase::kHandler);
constexpr unsigned kSyncCall = 1U << static_cast<unsigned>(Phase::kSync);
constexpr unsigned kAnyCall =
    kInitCall | kHandlerCall | kSyncCall | 1U << static_cast<unsigned>(Phase::kProbe);

/// The frame that this thread is in when the call is allowed there, else null.
CallFrame* enter(davit_host* host, unsigned callers) {
  if (host == nullptr) return nullptr;
  CallFrame* frame = host->controller->frame();
  if (frame == nullptr || (callers & (1U << static_cast<unsigned>(frame->phase()))) == 0) {
    return nullptr;
  }
  return frame;
}

/// A struct as a plugin passed it, with members that its version lacks taken as zero.
template <typename T>
T received(const void* from, std::size_t size) {
  T out{};
  std::memcpy(&out, from, std::min(size, sizeof(T)));
  out.size = sizeof(T);
  return out;
}
template <typename T>
T received(const T* from) {
  return received<T>(from, from->size);
}

// ---- davit.object/1

davit_name object_name(davit_host* host, davit_str text) {
  return host == nullptr ? 0 : host->controller->services().space.intern(view(text));
}

davit_code object_parse(davit_host* host, davit_str json, davit_value* out) {
  CallFrame* frame = enter(host, kAnyCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  Result<ObjectRef> parsed = parse_object(host->controller->services().space, view(json));
  if (!parsed) {
    frame->set_error(parsed.error().message());
    return static_cast<davit_code>(parsed.error().code());
  }
  *out = frame->lend(*parsed, kFullMask);
  return DAVIT_OK;
}

davit_code object_retain(davit_host* host, davit_value value, davit_handle* out) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  if (value.object == nullptr) return DAVIT_NOT_FOUND;
  *out = host->controller->retained().insert({ObjectRef::from(value), value});
  return DAVIT_OK;
}

davit_code object_retained(davit_host* host, davit_handle handle, davit_value* out) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  const auto found = host->controller->retained().find(handle);
  if (!found) return DAVIT_STALE;
  *out = found->value;
  return DAVIT_OK;
}

davit_code object_release(davit_host* host, davit_handle handle) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  return host->controller->retained().erase(handle) ? DAVIT_OK : DAVIT_STALE;
}

davit_object_v1 make_object_table() {
  davit_object_v1 table{};
  table.size = sizeof(table);
  fill_object_table(table);
  table.name = object_name;
  table.parse = object_parse;
  table.retain = object_retain;
  table.retained = object_retained;
  table.release = object_release;
  return table;
}

// ---- davit.informer/1

davit_code informer_open(davit_host* host, const davit_informer_options* options,
                         davit_handle* out) {
  if (enter(host, kInitCall) == nullptr || options == nullptr) return DAVIT_MISUSE;
  return host->controller->open_informer(received(options), *out);
}

davit_code informer_add_index(davit_host* host, davit_handle informer, davit_str name,
                              davit_str path) {
  if (enter(host, kInitCall) == nullptr) return DAVIT_MISUSE;
  return host->controller->add_index(informer, view(name), view(path));
}

davit_code informer_get(davit_host* host, davit_handle informer, davit_str ns, davit_str name,
                        davit_value* out) {
  *out = davit_value{};
  CallFrame* frame = enter(host, kHandlerCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->controller->informer(informer);
  if (opened == nullptr) return DAVIT_STALE;
  ObjectRef object = opened->informer->store().get(view(ns), view(name));
  if (!object) return DAVIT_NOT_FOUND;
  *out = frame->lend(std::move(object), opened->mask);
  return DAVIT_OK;
}

davit_code informer_select(davit_host* host, davit_handle informer, davit_str index, davit_str key,
                           davit_list* out) {
  *out = davit_list{};
  CallFrame* frame = enter(host, kHandlerCall | kSyncCall);
  if (frame == nullptr) return DAVIT_MISUSE;
  const auto* opened = host->controller->informer(informer);
  if (opened == nullptr) return DAVIT_STALE;
  Result<std::vector<ObjectRef>> found = opened->informer->store().select(view(index), view(key));
  if (!found) return static_cast<davit_code>(found.error().code());
  *out = frame->lend(std::move(*found), opened->mask);
  return DAVIT_OK;
}

// ---- davit.queue/1

davit_code queue_open(davit_host* host, const davit_queue_options* options, davit_handle* out) {
  if (enter(host, kInitCall) == nullptr || options == nullptr) return DAVIT_MISUSE;
  return host->controller->open_queue(received(options), *out);
}

/// Runs `use(runner, queue)` when caller and handle are right.
template <typename Use>
davit_code with_queue(davit_host* host, davit_handle handle, Use use) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  const std::optional<QueueId> queue = host->controller->queues().find(handle);
  if (!queue) return DAVIT_STALE;
  const Status status = use(host->controller->runner(), *queue);
  return static_cast<davit_code>(status.code());
}

davit_code queue_add_sharded(davit_host* host, davit_handle handle, davit_str key,
                             davit_str shard) {
  return with_queue(host, handle, [&](ControllerRunner& runner, QueueId queue) {
    return runner.add(queue, QueueKey(view(key), view(shard)));
  });
}

davit_code queue_add(davit_host* host, davit_handle handle, davit_str key) {
  return queue_add_sharded(host, handle, key, davit_str{});
}

davit_code queue_add_after(davit_host* host, davit_handle handle, davit_str key,
                           std::uint64_t delay_ms) {
  return with_queue(host, handle, [&](ControllerRunner& runner, QueueId queue) {
    return runner.add_after(queue, view(key), milliseconds_of(delay_ms));
  });
}

davit_code queue_add_rate_limited(davit_host* host, davit_handle handle, davit_str key) {
  return with_queue(host, handle, [&](ControllerRunner& runner, QueueId queue) {
    return runner.add_rate_limited(queue, view(key));
  });
}

davit_code queue_forget(davit_host* host, davit_handle handle, davit_str key) {
  return with_queue(host, handle, [&](ControllerRunner& runner, QueueId queue) {
    return runner.forget(queue, view(key));
  });
}

std::uint32_t queue_failures(davit_host* host, davit_handle handle, davit_str key) {
  std::uint32_t failures = 0;
  (void)with_queue(host, handle, [&](ControllerRunner& runner, QueueId queue) {
    failures = runner.failures(queue, view(key));
    return Status();
  });
  return failures;
}

// ---- davit.client/1

davit_code client_batch(davit_host* host, const davit_request* requests, std::size_t request_size,
                        davit_response* responses, std::size_t response_size, std::size_t count) {
  CallFrame* frame = enter(host, kSyncCall);
  if (frame == nullptr || request_size < sizeof(std::uint32_t) ||
      response_size < sizeof(std::uint32_t)) {
    return DAVIT_MISUSE;
  }
  std::vector<davit_request> in(count);
  std::vector<davit_response> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    in[i] = received<davit_request>(reinterpret_cast<const char*>(requests) + i * request_size,
                                    request_size);
  }
  host->controller->send(in, out, *frame);
  davit_code code = DAVIT_OK;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = std::min(response_size, sizeof(davit_response));
    out[i].size = static_cast<std::uint32_t>(size);
    std::memcpy(reinterpret_cast<char*>(responses) + i * response_size, &out[i], size);
    if (out[i].code != DAVIT_OK) code = out[i].code;
  }
  return code;
}

davit_code client_call(davit_host* host, const davit_request* request, davit_response* response) {
  if (request == nullptr || response == nullptr) return DAVIT_MISUSE;
  return client_batch(host, request, request->size, response, response->size, 1);
}

davit_code client_resource_exists(davit_host* host, davit_str group, davit_str version,
                                  davit_str resource) {
  if (enter(host, kInitCall | kSyncCall) == nullptr) return DAVIT_MISUSE;
  const Result<ResourceInfo> found =
      host->controller->services().discovery.find(view(group), view(version), view(resource));
  return static_cast<davit_code>(found.error().code());
}

// ---- davit.timer/1

davit_code timer_start(davit_host* host, const davit_timer_options* options, davit_handle* out) {
  if (enter(host, kAnyCall) == nullptr || options == nullptr) return DAVIT_MISUSE;
  return host->controller->start_timer(received(options), *out);
}

davit_code timer_stop(davit_host* host, davit_handle handle) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  const std::optional<TimerId> timer = host->controller->timers().erase(handle);
  if (!timer) return DAVIT_STALE;
  // A timer that fired once is gone already, which is what the caller wants.
  (void)host->controller->runner().stop_timer(*timer);
  return DAVIT_OK;
}

// ---- davit.event/1

davit_code event_record(davit_host* host, const davit_reference* from, davit_str type,
                        davit_str reason, davit_str message) {
  if (enter(host, kAnyCall) == nullptr || from == nullptr) return DAVIT_MISUSE;
  const auto regarding = received(from);
  Reference to;
  to.api_version = view(regarding.api_version);
  to.kind = view(regarding.kind);
  to.ns = view(regarding.ns);
  to.name = view(regarding.name);
  to.uid = view(regarding.uid);
  to.resource_version = view(regarding.resource_version);
  to.field_path = view(regarding.field_path);
  host->controller->services().events.record(to, view(type), view(reason), view(message),
                                             host->controller->client_name());
  return DAVIT_OK;
}

// ---- davit.log/1

void log_write(davit_host* host, std::int32_t level, davit_str message,
               const davit_log_field* fields, std::size_t count) {
  if (host == nullptr) return;
  std::vector<LogField> pairs;
  pairs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    pairs.emplace_back(view(fields[i].key), view(fields[i].value));
  }
  host->controller->log().write(level, view(message), pairs);
}

std::int32_t log_enabled(davit_host* host, std::int32_t level) {
  return host != nullptr && level <= host->controller->log().sink().verbosity() ? 1 : 0;
}

// ---- davit.clock/1, davit.random/1

std::int64_t clock_monotonic_ns(davit_host* host) {
  return host == nullptr ? 0 : host->controller->services().clock.now().time_since_epoch().count();
}

std::int64_t clock_wall_ns(davit_host* host) {
  return host == nullptr ? 0
                         : host->controller->services().clock.wall_now().time_since_epoch().count();
}

std::uint64_t random_next(davit_host* host) {
  return host == nullptr ? 0 : host->controller->services().random.next();
}

// ---- davit.metric/1

davit_code metric_open(davit_host* host, const davit_metric_options* from, davit_handle* out) {
  CallFrame* frame = enter(host, kInitCall);
  if (frame == nullptr || from == nullptr) return DAVIT_MISUSE;
  const auto options = received(from);
  if (options.type < DAVIT_METRIC_COUNTER || options.type > DAVIT_METRIC_HISTOGRAM) {
    return DAVIT_MISUSE;
  }
  MetricOptions metric;
  constexpr std::array<MetricType, 3> kTypes = {MetricType::kCounter, MetricType::kGauge,
                                                MetricType::kHistogram};
  metric.type = kTypes.at(static_cast<std::size_t>(options.type - DAVIT_METRIC_COUNTER));
  metric.name = view(options.name);
  metric.help = view(options.help);
  for (std::size_t i = 0; i < options.label_count; ++i) {
    metric.labels.emplace_back(view(options.labels[i]));
  }
  metric.buckets.assign(options.buckets, options.buckets + options.bucket_count);
  Result<PluginMetric*> opened = host->controller->services().metrics.open_plugin_metric(metric);
  if (!opened) {
    frame->set_error(opened.error().message());
    return static_cast<davit_code>(opened.error().code());
  }
  *out = host->controller->metrics().insert(*opened);
  return DAVIT_OK;
}

davit_code metric_record(davit_host* host, davit_handle handle, double value,
                         const davit_str* label_values, std::size_t label_count) {
  if (enter(host, kAnyCall) == nullptr) return DAVIT_MISUSE;
  const std::optional<PluginMetric*> metric = host->controller->metrics().find(handle);
  if (!metric) return DAVIT_STALE;
  std::vector<std::string_view> values;
  values.reserve(label_count);
  for (std::size_t i = 0; i < label_count; ++i) values.push_back(view(label_values[i]));
  return static_cast<davit_code>((*metric)->record(value, values).code());
}

// ---- davit.config/1

davit_value config_value(davit_host* host) {
  return host == nullptr ? davit_value{} : host->controller->config().root().raw;
}

template <typename Table, typename... Functions>
constexpr Table table_of(Functions... functions) {
  return Table{sizeof(Table), 0, functions...};
}

constexpr auto kInformerTable =
    table_of<davit_informer_v1>(informer_open, informer_add_index, informer_get, informer_select);
constexpr auto kQueueTable =
    table_of<davit_queue_v1>(queue_open, queue_add, queue_add_sharded, queue_add_after,
                             queue_add_rate_limited, queue_forget, queue_failures);
constexpr auto kClientTable =
    table_of<davit_client_v1>(client_call, client_batch, client_resource_exists);
constexpr auto kTimerTable = table_of<davit_timer_v1>(timer_start, timer_stop);
constexpr auto kEventTable = table_of<davit_event_v1>(event_record);
constexpr auto kLogTable = table_of<davit_log_v1>(log_write, log_enabled);
constexpr auto kClockTable = table_of<davit_clock_v1>(clock_monotonic_ns, clock_wall_ns);
constexpr auto kRandomTable = table_of<davit_random_v1>(random_next);
constexpr auto kMetricTable = table_of<davit_metric_v1>(metric_open, metric_record);
constexpr auto kConfigTable = table_of<davit_config_v1>(config_value);

}  // namespace

const void* host_capability(std::string_view id) {
  static const davit_object_v1 object_table = make_object_table();
  struct Row {
    std::string_view id;
    const void* table;
  };
  const std::array<Row, 11> rows = {{{"davit.object/1", &object_table},
                                     {"davit.informer/1", &kInformerTable},
                                     {"davit.queue/1", &kQueueTable},
                                     {"davit.client/1", &kClientTable},
                                     {"davit.timer/1", &kTimerTable},
                                     {"davit.event/1", &kEventTable},
                                     {"davit.log/1", &kLogTable},
                                     {"davit.clock/1", &kClockTable},
                                     {"davit.random/1", &kRandomTable},
                                     {"davit.metric/1", &kMetricTable},
                                     {"davit.config/1", &kConfigTable}}};
  for (const Row& row : rows) {
    if (row.id == id) return row.table;
  }
  return nullptr;
}

}  // namespace davit::host

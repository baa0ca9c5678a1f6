/// The smaller capabilities: events, log, clock, randomness, metrics, configuration.
#include <algorithm>
#include <array>

#include "host/plugin/host_abi.hpp"
#include "host/plugin/host_tables.hpp"
#include "lib/base/await_stop.hpp"

namespace davit::host {
namespace {

// ---- davit.event/1

davit_code event_record(CallFrame& frame, const davit_reference* from, davit_str type,
                        davit_str reason, davit_str message) {
  if (from == nullptr) return DAVIT_MISUSE;
  if (frame.controller().is_shadow()) return DAVIT_OK;
  const auto regarding = received(from);
  Reference to;
  to.api_version = view(regarding.api_version);
  to.kind = view(regarding.kind);
  to.ns = view(regarding.ns);
  to.name = view(regarding.name);
  to.uid = view(regarding.uid);
  to.resource_version = view(regarding.resource_version);
  to.field_path = view(regarding.field_path);
  if (ControllerObserver* const observer = frame.controller().services.observer) {
    observer->recorded(to, view(type), view(reason), view(message));
  }
  frame.controller().services.events.record(to, view(type), view(reason), view(message),
                                            frame.controller().options.declared.event_component);
  return DAVIT_OK;
}

// ---- davit.log/1

/// `level` is that of abi.h: an error, a warning, or the verbosity of an info line.
Severity severity_of(std::int32_t level) {
  if (level <= DAVIT_LOG_ERROR) return Severity::kError;
  return level == DAVIT_LOG_WARNING ? Severity::kWarning : Severity::kInfo;
}

void log_write(CallFrame& frame, std::int32_t level, davit_str message,
               const davit_log_field* fields, std::size_t count) {
  if (fields == nullptr) count = 0;
  std::vector<LogPair> pairs;
  pairs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    pairs.emplace_back(view(fields[i].key), view(fields[i].value));
  }
  // An error that a handler or timer reports is often the end of a read that was refused.
  const std::string refused = level == DAVIT_LOG_ERROR
                                  ? frame.controller().informers.undeclared_read_text()
                                  : std::string();
  if (!refused.empty()) pairs.emplace_back("undeclared", refused);
  if (ControllerObserver* const observer = frame.controller().services.observer) {
    observer->logged(level, view(message), pairs);
  }
  frame.add_trace(pairs);
  frame.controller().log.write(severity_of(level), level, view(message), pairs);
}

std::int32_t log_enabled(CallFrame& frame, std::int32_t level) {
  return level <= frame.controller().log.sink().verbosity() ? 1 : 0;
}

// ---- davit.clock/1, davit.random/1

std::int64_t clock_monotonic_ns(CallFrame& frame) {
  return frame.controller().services.clock.now().time_since_epoch().count();
}

std::int64_t clock_wall_ns(CallFrame& frame) {
  return frame.controller().services.clock.wall_now().time_since_epoch().count();
}

/// Leadership is looked at this often, because its loss wakes up no pause.
constexpr Duration kLeadershipPeriod = std::chrono::seconds(1);

davit_code clock_pause(CallFrame& frame, std::uint64_t ms) {
  const ControllerAbi& controller = frame.controller();
  Clock& clock = controller.services.clock;
  const Time end = clock.now() + milliseconds_of(ms);
  const std::stop_token held = controller.hold.token();
  bool is_cut = frame.stop().stop_requested() || held.stop_requested();
  while (!is_cut && clock.now() < end) {
    is_cut =
        await_stop(clock, std::min(end, clock.now() + kLeadershipPeriod), frame.stop(), held) ||
        !controller.may_act();
  }
  if (!is_cut) return DAVIT_OK;
  frame.note_cancelled();
  return frame.fail(Status(Code::kCancelled, "the host stops or swaps, or does not lead any more"));
}

std::uint64_t random_next(CallFrame& frame) { return frame.controller().services.random.next(); }

// ---- davit.metric/1

davit_code metric_open(CallFrame& frame, const davit_metric_options* from, davit_handle* out) {
  if (from == nullptr || out == nullptr) return DAVIT_MISUSE;
  const auto options = received(from);
  if (options.type < DAVIT_METRIC_COUNTER || options.type > DAVIT_METRIC_HISTOGRAM ||
      !is_there(options.labels, options.label_count) ||
      !is_there(options.buckets, options.bucket_count)) {
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
  MetricOwner owner{frame.controller().options.plugin, frame.controller().options.generation};
  if (frame.controller().is_shadow()) owner.visibility = MetricOwner::Visibility::kHidden;
  const Result<davit_handle> opened = frame.controller().metrics.open(metric, owner);
  if (!opened) return frame.fail(opened.error());
  *out = *opened;
  return DAVIT_OK;
}

davit_code metric_record(CallFrame& frame, davit_handle handle, double value,
                         const davit_str* label_values, std::size_t label_count) {
  if (!is_there(label_values, label_count)) {
    return DAVIT_MISUSE;
  }
  const std::optional<PluginMetric*> metric = frame.controller().metrics.find(handle);
  if (!metric) return DAVIT_STALE;
  if (frame.controller().is_shadow()) return DAVIT_OK;
  std::vector<std::string_view> values;
  values.reserve(label_count);
  for (std::size_t i = 0; i < label_count; ++i) values.push_back(view(label_values[i]));
  if (ControllerObserver* const observer = frame.controller().services.observer) {
    observer->measured((*metric)->name(), value, values);
  }
  const Status recorded = (*metric)->record(value, values);
  return recorded.ok() ? DAVIT_OK : frame.fail(recorded);
}

davit_code metric_remove(CallFrame& frame, davit_handle handle, const davit_str* label_values,
                         std::size_t label_count) {
  if (!is_there(label_values, label_count)) {
    return DAVIT_MISUSE;
  }
  const std::optional<PluginMetric*> metric = frame.controller().metrics.find(handle);
  if (!metric) return DAVIT_STALE;
  if (frame.controller().is_shadow()) return DAVIT_OK;
  std::vector<std::string_view> values;
  values.reserve(label_count);
  for (std::size_t i = 0; i < label_count; ++i) values.push_back(view(label_values[i]));
  const Status removed = (*metric)->remove(values);
  return removed.ok() ? DAVIT_OK : frame.fail(removed);
}

// ---- davit.config/1

davit_value config_value(CallFrame& frame) { return frame.config(); }

}  // namespace

const void* host_table(Capability<davit_event_v1>) {
  static constexpr davit_event_v1 kTable =
      table_of<davit_event_v1>(host_function<event_record, kAnyCall>);
  return &kTable;
}
const void* host_table(Capability<davit_log_v1>) {
  static constexpr davit_log_v1 kTable = table_of<davit_log_v1>(
      host_function<log_write, kAnyCall>, host_function<log_enabled, kAnyCall, 0>);
  return &kTable;
}
const void* host_table(Capability<davit_clock_v1>) {
  static constexpr davit_clock_v1 kTable = table_of<davit_clock_v1>(
      host_function<clock_monotonic_ns, kAnyCall>, host_function<clock_wall_ns, kAnyCall>,
      host_function<clock_pause, kSyncCall>);
  return &kTable;
}
const void* host_table(Capability<davit_random_v1>) {
  static constexpr davit_random_v1 kTable =
      table_of<davit_random_v1>(host_function<random_next, kAnyCall>);
  return &kTable;
}
const void* host_table(Capability<davit_metric_v1>) {
  static constexpr davit_metric_v1 kTable = table_of<davit_metric_v1>(
      host_function<metric_open, kInitCall>, host_function<metric_record, kAnyCall>,
      host_function<metric_remove, kAnyCall>);
  return &kTable;
}
const void* host_table(Capability<davit_config_v1>) {
  static constexpr davit_config_v1 kTable =
      table_of<davit_config_v1>(host_function<config_value, kAnyCall>);
  return &kTable;
}

}  // namespace davit::host

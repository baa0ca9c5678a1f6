#include <algorithm>
#include <davit/context.hpp>
#include <utility>
#include <vector>

namespace davit {
namespace {

/// Writes what a sync or a timer decided.
Status decided(const Result<Again>& again, davit_sync_result& out) {
  if (again) {
    out.again_ms = again->after_ms();
    out.backoff = again->backoff();
  }
  return again.error();
}

class SyncAnchor final : public detail::Anchored {
 public:
  SyncAnchor(const Api& api, SyncFunction sync) : api_(api), sync_(std::move(sync)) {}

  static davit_code sync(void* self, const davit_call* call, davit_str key,
                         davit_sync_result* result) noexcept {
    const auto& anchor = *static_cast<SyncAnchor*>(self);
    return detail::guarded(anchor.api_, call,
                           [&] { return decided(anchor.sync_(Key::parse(from_c(key))), *result); });
  }

 private:
  const Api& api_;
  SyncFunction sync_;
};

class TimerAnchor final : public detail::Anchored {
 public:
  TimerAnchor(const Api& api, std::function<Result<Again>()> fire)
      : api_(api), fire_(std::move(fire)) {}

  static davit_code fire(void* self, const davit_call* call, davit_sync_result* result) noexcept {
    const auto& anchor = *static_cast<TimerAnchor*>(self);
    return detail::guarded(anchor.api_, call, [&] { return decided(anchor.fire_(), *result); });
  }

 private:
  const Api& api_;
  std::function<Result<Again>()> fire_;
};

}  // namespace

Status Context::pause(std::chrono::milliseconds time) const {
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  const davit_code code = api_.clock->pause(api_.call(), ms);
  if (code == DAVIT_OK) return {};
  return Status(from_c(code), code == DAVIT_CANCELLED ? "the pause ended early"
                                                      : "a pause is for syncs and timers");
}

void Context::add_timer(const TimerOptions& options, std::function<Result<Again>()> fire) {
  auto anchor = std::make_unique<TimerAnchor>(api_, std::move(fire));
  davit_timer_options raw{};
  raw.size = sizeof(raw);
  raw.first_ms = static_cast<std::uint64_t>(options.first.count());
  raw.period_ms = static_cast<std::uint64_t>(options.period.count());
  raw.self = anchor.get();
  raw.fire = &TimerAnchor::fire;
  davit_handle handle = 0;
  note(api_.timer->start(api_.call(), &raw, &handle), "start", "a timer");
  anchor_.push_back(std::move(anchor));
}

Metric Context::open_metric(const MetricOptions& options) {
  std::vector<davit_str> labels;
  for (const std::string_view each : options.labels) labels.push_back(to_c(each));
  davit_metric_options raw{};
  raw.size = sizeof(raw);
  raw.type = static_cast<std::int32_t>(options.type);
  raw.name = to_c(options.name);
  raw.help = to_c(options.help);
  raw.labels = labels.data();
  raw.label_count = labels.size();
  raw.buckets = options.buckets.data();
  raw.bucket_count = options.buckets.size();
  davit_handle handle = 0;
  note(api_.metric->open(api_.call(), &raw, &handle), "open metric", options.name);
  return Metric(api_, handle);
}

void Metric::record(double value, std::initializer_list<std::string_view> label_values) const {
  std::vector<davit_str> raw;
  for (const std::string_view each : label_values) raw.push_back(to_c(each));
  static_cast<void>(api_->metric->record(api_->call(), handle_, value, raw.data(), raw.size()));
}

void Metric::remove(std::initializer_list<std::string_view> label_values) const {
  std::vector<davit_str> raw;
  for (const std::string_view each : label_values) raw.push_back(to_c(each));
  static_cast<void>(api_->metric->remove(api_->call(), handle_, raw.data(), raw.size()));
}

Result<DynamicInformer> Context::open_dynamic_informer(const DynamicInformerOptions& options,
                                                       Handlers<ObjectView> handlers) {
  return dynamic_.open(options, std::move(handlers));
}

Queue Context::open_queue(const QueueOptions& options, SyncFunction sync) {
  auto anchor = std::make_unique<SyncAnchor>(api_, std::move(sync));
  davit_queue_options raw{};
  raw.size = sizeof(raw);
  raw.workers = options.workers;
  raw.name = to_c(options.name);
  raw.base_ms = static_cast<std::uint64_t>(options.base_delay.count());
  raw.max_ms = static_cast<std::uint64_t>(options.max_delay.count());
  raw.retries_max = options.retries_max;
  raw.self = anchor.get();
  raw.sync = &SyncAnchor::sync;
  davit_handle handle = 0;
  note(api_.queue->open(api_.call(), &raw, &handle), "open queue", options.name);
  anchor_.push_back(std::move(anchor));
  return Queue(api_, handle);
}

Result<Waker> Context::open_waker(const Queue& queue) const {
  if (api_.waker == nullptr) {
    return Status(Code::kUnsupported, "the host lacks the capability davit.waker/1");
  }
  davit_waker* raw = nullptr;
  const davit_code code = api_.waker->open(api_.call(), queue.handle(), &raw);
  if (code == DAVIT_OK) return Waker(*api_.waker, raw);
  return Status(from_c(code), "the host gives no waker of the queue");
}

InitResult Context::skip(std::string_view why) const {
  api_.error_text(api_.call(), to_c(why));
  return std::unique_ptr<Controller>();
}

davit_handle Context::open(const Resource& resource, davit_informer_options& raw,
                           const InformerOptions& options,
                           std::unique_ptr<detail::Anchored> anchor) {
  raw.size = sizeof(raw);
  raw.group = to_c(resource.group);
  raw.version = to_c(resource.version);
  raw.resource = to_c(resource.resource);
  raw.label_selector = to_c(options.label_selector);
  raw.field_selector = to_c(options.field_selector);
  davit_handle handle = 0;
  note(api_.informer->open(api_.call(), &raw, &handle), "open informer", resource.resource);
  if (options.silence_max.count() > 0 && api_.freshness != nullptr) {
    note(api_.freshness->limit_silence(api_.call(), handle,
                                       static_cast<std::uint64_t>(options.silence_max.count())),
         "limit the silence of", resource.resource);
  }
  anchor_.push_back(std::move(anchor));
  return handle;
}

void Context::index(davit_handle informer, std::string_view name, std::string_view path) {
  note(api_.informer->add_index(api_.call(), informer, to_c(name), to_c(path)), "add index", name);
}

void Context::note(davit_code code, std::string_view action, std::string_view what) {
  if (code == DAVIT_OK || !status_.ok()) return;
  // The host adds why. A number would say nothing to anybody.
  status_ =
      Status(from_c(code), "the host refused to " + std::string(action) + " " + std::string(what) +
                               (code == DAVIT_UNDECLARED ? ": not in the note" : ""));
}

}  // namespace davit

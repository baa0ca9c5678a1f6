/// Context: what the host offers to one controller.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/client.hpp>
#include <davit/controller.hpp>
#include <davit/discovery.hpp>
#include <davit/dynamic_informer.hpp>
#include <davit/event.hpp>
#include <davit/http.hpp>
#include <davit/informer.hpp>
#include <davit/log.hpp>
#include <davit/queue.hpp>
#include <davit/time.hpp>
#include <davit/waker.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace davit {

struct TimerOptions {
  std::chrono::milliseconds first{0};   ///< From the start of the controller's workers.
  std::chrono::milliseconds period{0};  ///< From the end of one run to the next; 0: once.
};

enum class MetricType : std::int32_t {
  kCounter = DAVIT_METRIC_COUNTER,
  kGauge = DAVIT_METRIC_GAUGE,
  kHistogram = DAVIT_METRIC_HISTOGRAM,
};

struct MetricOptions {
  MetricType type = MetricType::kCounter;
  std::string_view name;  ///< In full, as /metrics shows it.
  std::string_view help;
  std::initializer_list<std::string_view> labels = {};
  std::initializer_list<double> buckets = {};  ///< Histograms: upper bounds, rising.
};

/// A handle: cheap to copy.
class Metric {
 public:
  /// Opened by Context::open_metric.
  Metric(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// Adds to a counter, sets a gauge, observes into a histogram. Takes one value for each label.
  void record(double value, std::initializer_list<std::string_view> label_values = {}) const {
    std::vector<davit_str> raw;
    for (const std::string_view each : label_values) raw.push_back(to_c(each));
    static_cast<void>(api_->metric->record(api_->call(), handle_, value, raw.data(), raw.size()));
  }

  /// Deletes the series with these label values, for example of an object that is gone.
  void remove(std::initializer_list<std::string_view> label_values) const {
    std::vector<davit_str> raw;
    for (const std::string_view each : label_values) raw.push_back(to_c(each));
    static_cast<void>(api_->metric->remove(api_->call(), handle_, raw.data(), raw.size()));
  }

 private:
  const Api* api_;
  davit_handle handle_;
};

/// Lives longer than the controller; keep a reference. The open_ functions are for the controller's
/// constructor only. They always return a handle: if the host refuses, the handle reads as empty
/// and the controller does not start, with the host's reason in the log.
class Context {
 public:
  /// `raw` must outlive the context. Ask status() before anything else.
  explicit Context(const davit_context& raw) : raw_(raw), status_(api_.open(raw)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The controller's name: "replicaset-controller".
  [[nodiscard]] std::string_view name() const { return from_c(raw_.controller); }

  /// Joins the host's shared cache of View::kResource. Synced before any sync runs.
  template <typename View>
  [[nodiscard]] Informer<View> open_informer(Handlers<View> handlers = {},
                                             const InformerOptions& options = {}) {
    const Resource& resource = View::kResource;
    auto anchor = std::make_unique<detail::HandlerAnchor<View>>(api_, std::move(handlers));
    davit_informer_options raw{};
    raw.size = sizeof(raw);
    raw.group = to_c(resource.group);
    raw.version = to_c(resource.version);
    raw.resource = to_c(resource.resource);
    raw.label_selector = to_c(options.label_selector);
    raw.field_selector = to_c(options.field_selector);
    raw.self = anchor.get();
    raw.on_event = &detail::HandlerAnchor<View>::on_event;
    davit_handle handle = 0;
    note(api_.informer->open(api_.call(), &raw, &handle), "open informer", resource.resource);
    if (options.silence_max.count() > 0 && api_.freshness != nullptr) {
      note(api_.freshness->limit_silence(api_.call(), handle,
                                         static_cast<std::uint64_t>(options.silence_max.count())),
           "limit the silence of", resource.resource);
    }
    anchor_.push_back(std::move(anchor));
    return Informer<View>(api_, handle);
  }

  /// Begins to follow a resource at run time, in handlers, syncs and timers as in constructors. It
  /// is synced on its own: nothing waits for it. kUndeclared: the note does not allow list and
  /// watch. kUnsupported: too many are open.
  [[nodiscard]] Result<DynamicInformer> open_dynamic_informer(const DynamicInformerOptions& options,
                                                              Handlers<ObjectView> handlers = {}) {
    return dynamic_.open(options, std::move(handlers));
  }

  /// Indexes the strings found at `path`: dots between members, [] for every element, ['key'] for
  /// one map key. Informer::by_index reads it.
  template <typename View>
  void add_index(const Informer<View>& informer, std::string_view name, std::string_view path) {
    note(api_.informer->add_index(api_.call(), informer.handle(), to_c(name), to_c(path)),
         "add index", name);
  }

  [[nodiscard]] Queue open_queue(const QueueOptions& options, SyncFunction sync) {
    auto anchor = std::make_unique<detail::SyncAnchor>(api_, std::move(sync));
    davit_queue_options raw{};
    raw.size = sizeof(raw);
    raw.workers = options.workers;
    raw.name = to_c(options.name);
    raw.base_ms = static_cast<std::uint64_t>(options.base_delay.count());
    raw.max_ms = static_cast<std::uint64_t>(options.max_delay.count());
    raw.retries_max = options.retries_max;
    raw.self = anchor.get();
    raw.sync = &detail::SyncAnchor::sync;
    davit_handle handle = 0;
    note(api_.queue->open(api_.call(), &raw, &handle), "open queue", options.name);
    anchor_.push_back(std::move(anchor));
    return Queue(api_, handle);
  }

  /// Runs `fire` on a worker, never twice at once. It returns nothing, or a Result<Again>, which
  /// replaces the period. After an error or an exception it fires again with back-off.
  template <typename Fire>
  void start_timer(const TimerOptions& options, Fire fire) {
    if constexpr (std::is_void_v<std::invoke_result_t<Fire&>>) {
      add_timer(options, [fire = std::move(fire)]() mutable -> Result<Again> {
        fire();
        return Again::when_changed();
      });
    } else {
      add_timer(options, std::move(fire));
    }
  }

  [[nodiscard]] Metric open_metric(const MetricOptions& options);

  /// For threads of a library that the plugin needs; see Waker.
  [[nodiscard]] Result<Waker> open_waker(const Queue& queue) const {
    if (api_.waker == nullptr) {
      return Status(Code::kUnsupported, "the host lacks the capability davit.waker/1");
    }
    davit_waker* raw = nullptr;
    const davit_code code = api_.waker->open(api_.call(), queue.handle(), &raw);
    if (code == DAVIT_OK) return Waker(*api_.waker, raw);
    return Status(from_c(code), "the host gives no waker of the queue");
  }

  [[nodiscard]] Client client() const { return Client(api_); }
  /// Requests to servers outside the cluster, to the hosts that the note declares.
  [[nodiscard]] http::Client http() const { return http::Client(api_); }
  [[nodiscard]] Discovery discovery() const { return Discovery(api_); }
  [[nodiscard]] EventRecorder events() const { return EventRecorder(api_); }
  [[nodiscard]] Log log() const { return Log(api_); }
  /// The controller's `config` from the manifest; absent when there is none.
  [[nodiscard]] Value config() const { return Value(&api_, api_.config->value(api_.call())); }
  /// Never jumps; for intervals.
  [[nodiscard]] Time now() const { return Time(Duration(api_.clock->monotonic_ns(api_.call()))); }
  /// For time stamps in objects.
  [[nodiscard]] WallTime wall_now() const {
    return WallTime(Duration(api_.clock->wall_ns(api_.call())));
  }
  /// 64 uniformly distributed bits; not for secrets.
  [[nodiscard]] std::uint64_t random() const { return api_.random->next(api_.call()); }
  /// The call that the controller's code is in; on a thread of its own: none, which is cancelled.
  [[nodiscard]] HostCall call() const { return HostCall(api_.call()); }
  /// Why the last function of the host failed in this call, with the server's details; ok if none
  /// has.
  [[nodiscard]] Status last_error() const { return api_.failure(); }
  [[nodiscard]] const Api& api() const { return api_; }

  /// `return context.skip("…")` from a factory: nothing to do here, and that is not an error.
  [[nodiscard]] InitResult skip(std::string_view why) const {
    api_.error_text(api_.call(), to_c(why));
    return std::unique_ptr<Controller>();
  }
  /// The first open_ call that the host refused; ok when none was.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void add_timer(const TimerOptions& options, std::function<Result<Again>()> fire);
  void note(davit_code code, std::string_view action, std::string_view what) {
    if (code == DAVIT_OK || !status_.ok()) return;
    // The host adds why. A number would say nothing to anybody.
    status_ = Status(from_c(code), "the host refused to " + std::string(action) + " " +
                                       std::string(what) +
                                       (code == DAVIT_UNDECLARED ? ": not in the note" : ""));
  }

  const davit_context& raw_;
  Api api_;
  Status status_;
  detail::DynamicAnchors dynamic_{api_};
  std::vector<std::unique_ptr<detail::Anchored>> anchor_;  // The host holds pointers to them.
};

namespace detail {

class TimerAnchor final : public Anchored {
 public:
  TimerAnchor(const Api& api, std::function<Result<Again>()> fire)
      : api_(api), fire_(std::move(fire)) {}

  static davit_code fire(void* self, const davit_call* call, davit_sync_result* result) noexcept {
    const auto& anchor = *static_cast<TimerAnchor*>(self);
    return guarded(anchor.api_, call, [&] { return decided(anchor.fire_(), *result); });
  }

 private:
  const Api& api_;
  std::function<Result<Again>()> fire_;
};

}  // namespace detail

inline void Context::add_timer(const TimerOptions& options, std::function<Result<Again>()> fire) {
  auto anchor = std::make_unique<detail::TimerAnchor>(api_, std::move(fire));
  davit_timer_options raw{};
  raw.size = sizeof(raw);
  raw.first_ms = static_cast<std::uint64_t>(options.first.count());
  raw.period_ms = static_cast<std::uint64_t>(options.period.count());
  raw.self = anchor.get();
  raw.fire = &detail::TimerAnchor::fire;
  davit_handle handle = 0;
  note(api_.timer->start(api_.call(), &raw, &handle), "start", "a timer");
  anchor_.push_back(std::move(anchor));
}

inline Metric Context::open_metric(const MetricOptions& options) {
  std::vector<davit_str> labels;
  for (const std::string_view each : options.labels) labels.push_back(to_c(each));
  davit_metric_options raw{};
  raw.size = sizeof(raw);
  raw.type = static_cast<std::int32_t>(options.type);
  raw.name = to_c(options.name);
  raw.help = to_c(options.help);
  raw.labels = labels.data();
  raw.label_count = labels.size();
  raw.buckets = options.buckets.begin();
  raw.bucket_count = options.buckets.size();
  davit_handle handle = 0;
  note(api_.metric->open(api_.call(), &raw, &handle), "open metric", options.name);
  return Metric(api_, handle);
}

}  // namespace davit

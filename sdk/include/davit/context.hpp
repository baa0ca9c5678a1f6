/// Context: the services that the host offers to one controller.
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

/// The kind of a metric: a value that only rises, a value that may change freely, or counts of
/// values by size.
enum class MetricType : std::int32_t {
  kCounter = DAVIT_METRIC_COUNTER,
  kGauge = DAVIT_METRIC_GAUGE,
  kHistogram = DAVIT_METRIC_HISTOGRAM,
};

struct MetricOptions {
  MetricType type = MetricType::kCounter;
  std::string_view name;  ///< In full, as /metrics shows it.
  std::string_view help;
  std::vector<std::string_view> labels = {};
  std::vector<double> buckets = {};  ///< Histograms: upper bounds, rising.
};

/// A handle: cheap to copy.
class Metric {
 public:
  /// Use Context::open_metric instead.
  Metric(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// Adds to a counter, sets a gauge, or observes into a histogram. Takes one value for each label.
  void record(double value, std::initializer_list<std::string_view> label_values = {}) const;

  /// Deletes the series with these label values, for example of a deleted object.
  void remove(std::initializer_list<std::string_view> label_values) const;

 private:
  const Api* api_;
  davit_handle handle_;
};

/// Outlives the controller, which may keep a reference. Call the open_ functions in the
/// controller's constructor only. They always return a handle: if the host refuses, the handle
/// reads as empty, and the controller does not start; the log has the host's reason.
class Context {
 public:
  /// `raw` must outlive the context. Check status() before any other use.
  explicit Context(const davit_context& raw) : raw_(raw), status_(api_.open(raw)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The controller's name: "replicaset-controller".
  [[nodiscard]] std::string_view name() const { return from_c(raw_.controller); }

  /// Joins the host's shared cache of View::kResource. Synced before any sync runs.
  template <typename View>
  [[nodiscard]] Informer<View> open_informer(Handlers<View> handlers = {},
                                             const InformerOptions& options = {}) {
    auto anchor = std::make_unique<detail::HandlerAnchor<View>>(api_, std::move(handlers));
    davit_informer_options raw{};
    raw.self = anchor.get();
    raw.on_event = &detail::HandlerAnchor<View>::on_event;
    return Informer<View>(api_, open(View::kResource, raw, options, std::move(anchor)));
  }

  /// Begins to follow a resource at run time; may be called in constructors, handlers, syncs and
  /// timers. The informer is synced independently: nothing waits for it. kUndeclared: the note does
  /// not allow list and watch. kUnsupported: too many are open.
  [[nodiscard]] Result<DynamicInformer> open_dynamic_informer(const DynamicInformerOptions& options,
                                                              Handlers<ObjectView> handlers = {});

  /// Indexes the strings found at `path`: dots between members, [] for every element, ['key'] for
  /// one map key. Informer::by_index reads it.
  template <typename View>
  void add_index(const Informer<View>& informer, std::string_view name, std::string_view path) {
    index(informer.handle(), name, path);
  }

  [[nodiscard]] Queue open_queue(const QueueOptions& options, SyncFunction sync);

  /// Runs `fire` on a worker, never concurrently. `fire` returns nothing, or a Result<Again> that
  /// overrides the period. After an error or an exception it fires again with back-off.
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
  [[nodiscard]] Result<Waker> open_waker(const Queue& queue) const;

  [[nodiscard]] Client client() const { return Client(api_); }
  /// Requests to servers outside the cluster, to the hosts that the note declares.
  [[nodiscard]] http::Client http() const { return http::Client(api_); }
  [[nodiscard]] Discovery discovery() const { return Discovery(api_); }
  [[nodiscard]] EventRecorder events() const { return EventRecorder(api_); }
  [[nodiscard]] Log log() const { return Log(api_); }
  /// The controller's `config` from the manifest; absent if there is none. Borrowed for the call,
  /// like any other value. See Controller::configure.
  [[nodiscard]] Value config() const { return Value(&api_, api_.config->value(api_.call())); }
  /// Never jumps; for intervals.
  [[nodiscard]] Time now() const { return Time(Duration(api_.clock->monotonic_ns(api_.call()))); }
  /// For time stamps in objects.
  [[nodiscard]] WallTime wall_now() const {
    return WallTime(Duration(api_.clock->wall_ns(api_.call())));
  }
  /// Waits; in syncs and timers only. Occupies the worker, so use it for pauses of a few seconds
  /// and return Again::after() for longer ones. kCancelled: it ended early because the host stops
  /// or swaps; return that error, and the key is synced first where it may run next.
  [[nodiscard]] Status pause(std::chrono::milliseconds time) const;
  /// 64 uniformly distributed bits; not for secrets.
  [[nodiscard]] std::uint64_t random() const { return api_.random->next(api_.call()); }
  /// The current call of the controller. On a thread that the plugin started there is none, which
  /// reads as cancelled.
  [[nodiscard]] HostCall call() const { return HostCall(api_.call()); }
  /// The error of the last host function that failed in this call, with the server's details; ok if
  /// none failed.
  [[nodiscard]] Status last_error() const { return api_.failure(); }
  [[nodiscard]] const Api& api() const { return api_; }

  /// For factories: `return context.skip("…")` says that there is nothing to do here, which is not
  /// an error.
  [[nodiscard]] InitResult skip(std::string_view why) const;
  /// The error of the first open_ call that the host refused; ok if it refused none.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  davit_handle open(const Resource& resource, davit_informer_options& raw,
                    const InformerOptions& options, std::unique_ptr<detail::Anchored> anchor);
  void index(davit_handle informer, std::string_view name, std::string_view path);
  void add_timer(const TimerOptions& options, std::function<Result<Again>()> fire);
  void note(davit_code code, std::string_view action, std::string_view what);

  const davit_context& raw_;
  Api api_;
  Status status_;
  detail::DynamicAnchors dynamic_{api_};
  std::vector<std::unique_ptr<detail::Anchored>> anchor_;  // The host holds pointers to them.
};

}  // namespace davit

/// One controller of a plugin, hosted: its davit_host, what it opened, and its runner.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/delta_queue.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/write_tracker.hpp"
#include "host/events/event_recorder.hpp"
#include "host/health/metrics.hpp"
#include "host/object/object_space.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/intended_writes.hpp"
#include "host/plugin/note.hpp"
#include "host/plugin/slot_table.hpp"
#include "host/plugin/sync_tally.hpp"
#include "host/run/controller_runner.hpp"
#include "host/run/delta_queue_source.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"

namespace davit::host {
class ControllerHost;
}

/// What abi.h leaves opaque: the host as one controller sees it.
struct davit_host {
  davit::host::ControllerHost* controller;
};

namespace davit::host {

/// What all controllers share. Every reference outlives every controller.
struct HostServices {
  ObjectSpace& space;
  InformerFactory& informers;
  Transport& transport;
  Discovery& discovery;
  EventRecorder& events;
  Metrics& metrics;
  Clock& clock;
  Random& random;
  Log log;
};

struct ControllerHostOptions {
  DeclaredController declared;
  std::string plugin;
  std::string build_id;
  std::uint64_t generation = 1;          ///< Of the plugin in this process; for crash reports.
  std::optional<std::uint32_t> workers;  ///< The operator's number; nothing: the plugin's.
  std::string config;                    ///< JSON text of an object; empty: none.
  TokenBucket::Rate rate;                ///< Of this controller's API client.
  std::optional<FailureBackoffLimits> failure_backoff{};  ///< Of the connection.
  WriteGate write_gate;                ///< Asked before each write goes on the wire.
  std::function<void()> on_success{};  ///< See RestOptions::on_success.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  DryRun dry_run = DryRun::kOff;
};

/// Life:  init() → commit() → start() → begin_syncing() or lead() → stop() → destructor (calls
/// destroy()).
/// After anything but kStarted only the destructor.
///
/// Two builds of one controller:  the new one is started, but not begin_syncing(), while the old
/// one works: its handlers fill its queues, and nothing of it can write. Then old.drain(),
/// new.take_over(old), new.begin_syncing(), old.retire().
///
/// During init() what the controller opens is only noted; commit() makes it real, so that a
/// controller that answers SKIPPED or FAILED leaves no informer behind. The functions of the ABI
/// tables call the members below "For the ABI"; they may run on any thread that is inside a call of
/// this controller.
class ControllerHost {
 public:
  enum class InitOutcome { kStarted, kSkipped, kFailed };
  struct InitResult {
    InitOutcome outcome = InitOutcome::kFailed;
    std::string reason;
  };

  ControllerHost(ControllerHostOptions options, const HostServices& services);
  ControllerHost(const ControllerHost&) = delete;
  ControllerHost& operator=(const ControllerHost&) = delete;
  /// stop() must have returned true before, if start() was called.
  ~ControllerHost();

  /// Calls the plugin's InitFunc. Once.
  InitResult init(davit_init_fn function);
  /// Which informers commit() may open: any, or only those that run already and keep enough.
  enum class Reach { kAny, kRunning };
  /// What the informers that init() asked for have to keep.
  [[nodiscard]] std::vector<CacheNeed> cache_needs() const;
  /// Opens the informers that init() asked for. kInvalid: a path or projection is malformed.
  /// kUnsupported: one that is not within reach; names all of those.
  Status commit(Reach reach = Reach::kAny);
  void start() { runner_->start(); }
  void begin_syncing() { runner_->begin_syncing(); }
  /// begin_syncing(), once the caches and the handlers have seen all that the server had at `won`:
  /// what another leader has done until then. After start().
  void lead(Time won);
  /// Returns whether every running call ended. If not, the process must end without destroying
  /// this.
  bool stop(const Quiesce& wait) { return runner_->stop(wait); }

  /// Hands out no key until resume(), and waits for running syncs. Their requests that are not on
  /// the wire yet are cancelled, those on the wire go on. False when one did not end by `deadline`;
  /// resume() goes on either way.
  bool drain(Time deadline);
  /// Hands out no key until resume(); running syncs go on.
  void pause() { (void)runner_->pause({.cancel_at = Time::max(), .give_up_at = Time::min()}); }
  void resume() { runner_->resume(); }
  /// Waits until the handlers have seen the first content; false when `deadline` comes first.
  [[nodiscard]] bool wait_caches(Time deadline) { return runner_->wait_caches(deadline); }
  /// Takes the keys of every queue, with delays, failures and unseen writes, from another build of
  /// the controller that has been drained. Queues belong together by name. Returns how many keys
  /// there were; those of queues that this build does not have are dropped. Timers take over unseen
  /// writes, too.
  struct HandedOver {
    std::size_t kept = 0;
    std::size_t dropped = 0;
    std::vector<QueueContent> spent;  ///< Takes time to destroy.
  };
  HandedOver take_over(ControllerHost& from);

  /// The forms of state ("davit.state/1") that this build writes and reads; nothing: none.
  struct StateForms {
    std::uint32_t writes = 0;
    std::uint32_t oldest = 0;  ///< Reads those from here to the one it writes.

    [[nodiscard]] bool reads(std::uint32_t form) const { return form >= oldest && form <= writes; }
  };
  /// What the controller's table says of its state; nothing: it hands none on.
  [[nodiscard]] std::optional<StateForms> state_forms() const;
  /// What the controller wants to hand to another build of it. Only when it is drained and between
  /// hold_handlers() and release_handlers(), as for read_state(). kInvalid: too much of it; another
  /// code is the controller's.
  [[nodiscard]] Result<std::string> write_state() const;
  /// Hands it what another build wrote; its refusal.
  [[nodiscard]] Status read_state(std::uint32_t form, std::string_view state) const;
  /// Brings the handlers of two builds to one point of the cluster's history, where they rest until
  /// release_handlers() of both. False when that takes longer than until `deadline`.
  [[nodiscard]] bool hold_handlers(ControllerHost& other, Time deadline);
  /// Lets the handlers go on after hold_handlers().
  void release_handlers() { delta_queue_.release(); }
  /// write_state() goes on and nobody waits for it any more: no sync, timer or handler of this
  /// build runs beside it. Until end_rest(), after hold_handlers(); health() says so.
  void begin_rest() { runner_->begin_rest("write() of its state"); }
  /// write_state() has ended: releases the handlers and lets everything run again.
  void end_rest() {
    release_handlers();
    runner_->end_rest();
  }
  /// Whether it is between begin_rest() and end_rest().
  [[nodiscard]] bool resting() const { return runner_->resting(); }
  /// What it means to write. With kAnswer, before init(), this is a shadow: nothing of it reaches
  /// the cluster, no write, no Event, no metric of its own.
  [[nodiscard]] IntendedWrites& writes() { return writes_; }
  /// Whether nothing of it reaches the cluster; see writes().
  [[nodiscard]] bool is_shadow() const { return writes_.mode() == IntendedWrites::Mode::kAnswer; }
  /// Adds every key that waits here to the queues of the same name of the build that serves. After
  /// wait_caches(), before begin_syncing(). Returns how many there are.
  std::size_t mirror_keys(ControllerHost& serving);

  /// As stop(), when another build goes on or this one never served.
  bool retire(const Quiesce& wait) { return runner_->retire(wait); }
  /// kUnavailable naming the syncs that have been running for at least `limit`.
  [[nodiscard]] Status overdue(Duration limit) const { return runner_->overdue(limit); }
  /// What its syncs came to so far.
  [[nodiscard]] SyncTally tally() const { return counter_.tally(); }
  /// Keys that wait for a worker.
  [[nodiscard]] std::size_t waiting() const { return runner_->waiting(); }

  /// Every few seconds, and before each scrape: overdue syncs, gauges.
  void report() { runner_->report(); }

  [[nodiscard]] const std::string& name() const { return options_.declared.name; }
  [[nodiscard]] const DeclaredController& declared() const { return options_.declared; }
  /// The runner's and the controller's own opinion.
  [[nodiscard]] Status health() const;
  [[nodiscard]] bool caches_ready() const { return runner_->caches_ready(); }
  [[nodiscard]] bool syncing() const { return runner_->syncing(); }
  /// The controller's debug page, if it offers one.
  [[nodiscard]] bool has_debug_page() const;
  [[nodiscard]] Result<std::string> debug_page(std::string_view path, std::string_view query) const;

  // ---- For the ABI.

  [[nodiscard]] davit_host* handle() { return &handle_; }
  /// The call that this thread is in, or null.
  [[nodiscard]] CallFrame* frame() { return CallFrame::current(&handle_); }
  [[nodiscard]] const HostServices& services() const { return services_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] ControllerRunner& runner() { return *runner_; }
  [[nodiscard]] const ObjectRef& config() const { return config_; }
  [[nodiscard]] const std::string& client_name() const { return options_.declared.client_name; }

  /// The first read outside a projection of the call that this thread is in, and what to write into
  /// the note for it to be allowed; empty when there was none.
  [[nodiscard]] std::string undeclared_read_text() const;

  struct OpenedInformer;
  davit_code open_informer(const davit_informer_options& options, davit_handle& out);
  davit_code add_index(davit_handle informer, std::string_view name, std::string_view path);
  davit_code limit_silence(davit_handle informer, Duration longest);
  /// Null when the handle is stale. Lives as long as this.
  [[nodiscard]] const OpenedInformer* informer(davit_handle handle) const;

  davit_code open_queue(const davit_queue_options& options, davit_handle& out);
  davit_code start_timer(const davit_timer_options& options, davit_handle& out);

  /// Sends all at once; responses[i] is filled for requests[i].
  void send(std::span<const davit_request> requests, std::span<davit_response> responses,
            CallFrame& frame);

  using Queues = SlotTable<QueueId, HandleKind::kQueue>;
  using Timers = SlotTable<TimerId, HandleKind::kTimer>;
  using MetricHandles = SlotTable<PluginMetric*, HandleKind::kMetric>;
  struct RetainedObject {
    ObjectRef object;
    davit_value value{};
  };
  using RetainedObjects = SlotTable<RetainedObject, HandleKind::kObject>;
  [[nodiscard]] Queues& queues() { return queues_; }
  [[nodiscard]] Timers& timers() { return timers_; }
  [[nodiscard]] MetricHandles& metrics() { return metrics_; }
  [[nodiscard]] RetainedObjects& retained() { return retained_; }

 private:
  [[nodiscard]] Breadcrumb breadcrumb(std::string_view activity) const;
  template <typename Table>
  [[nodiscard]] const Table* side(std::string_view id) const;
  /// The state side, if it is complete.
  [[nodiscard]] const davit_state_v1* state_side() const;
  /// Why there is none, and the entry that the note lacks.
  [[nodiscard]] std::string undeclared_watch_text(const davit_informer_options& options) const;
  [[nodiscard]] const DeclaredWatch* find_watch(const davit_informer_options& options) const;
  /// Notes why the call under way is refused, and returns `code`.
  davit_code refuse(davit_code code, std::string_view why);
  [[nodiscard]] Status check_rights(const davit_request& request) const;
  /// Refuses a create for an owner with a dependant of that resource which the cache lacks because
  /// it cannot be read: controllers count what they see and would create replacements for ever.
  [[nodiscard]] Status check_dependants(const davit_request& request) const;
  /// Collects a write if somebody wants to know; of a shadow, the answer instead of the server's.
  [[nodiscard]] std::optional<ApiResponse> intend(const ApiRequest& request);
  struct CacheView;
  [[nodiscard]] CacheView look(const ResourcePath& path, std::string_view name) const;
  void answer(const davit_request& request, ApiResponse from, davit_response& to, CallFrame& frame);
  void note_write(const davit_request& request, const ObjectRef& answer, const CallFrame& frame);
  void note_lost(const davit_request& request, const CallFrame& frame);
  [[nodiscard]] std::vector<Informer*> followers_of(const davit_request& request) const;
  struct HostedQueue;
  [[nodiscard]] SyncOutcome sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled);
  void handle_change(const OpenedInformer& informer, const Change& change);
  void timers_caught_up(const std::vector<std::string>& writers);

  const ControllerHostOptions options_;
  const HostServices services_;
  const Log log_;
  davit_host handle_;
  davit_context context_{};
  davit_controller controller_{};
  bool created_ = false;  // init() answered STARTED: controller_ counts.
  ObjectRef config_;
  RestClient client_;
  Mask answer_metadata_ = kFullMask;
  IntendedWrites writes_;

  SlotTable<OpenedInformer*, HandleKind::kInformer> informer_handles_;
  std::vector<std::unique_ptr<OpenedInformer>> informers_;  // Filled by init(), fixed afterwards.
  Queues queues_;
  Timers timers_;
  std::unique_ptr<WriteTracker> timer_writes_;  // Keys are handles, in text.
  MetricHandles metrics_;
  RetainedObjects retained_;
  SyncCounter counter_;

  DeltaQueue delta_queue_;
  DeltaQueueSource delta_source_;
  std::vector<std::unique_ptr<HostedQueue>> hosted_queues_;  // Filled by init(), fixed afterwards.
  std::unique_ptr<ControllerRunner> runner_;
};

/// A work queue as the controller opened it.
struct ControllerHost::HostedQueue {
  std::string name;  // Empty for a queue without metrics.
  QueueId id{};
  std::unique_ptr<WriteTracker> writes;
  void* self = nullptr;
  davit_code (*sync)(void* self, davit_str key, davit_sync_result* result) = nullptr;
};

/// An informer as one controller opened it.
struct ControllerHost::OpenedInformer {
  ResourceId resource;
  std::string label_selector;
  std::string field_selector;
  std::optional<std::vector<std::string>> projection;
  Mask mask = kFullMask;
  void* self = nullptr;
  void (*on_event)(void* self, const davit_event* event) = nullptr;
  struct Index {
    std::string name;
    std::string path;
    std::string shared_name;  // In the store, whose indexes all controllers share.
  };
  std::vector<Index> indexes;
  Duration silence_max = Duration::max();
  Informer* informer = nullptr;  // Set by commit().

  [[nodiscard]] CacheNeed need() const;

  /// All objects with `key` in the index that this controller calls `name`. kNotFound: no such
  /// index.
  [[nodiscard]] Result<std::vector<ObjectRef>> select(std::string_view name,
                                                      std::string_view key) const;
};

}  // namespace davit::host

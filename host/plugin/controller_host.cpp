#include "host/plugin/controller_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/object/field_path.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kHealthCapability = "davit.health/1";
constexpr std::string_view kDebugCapability = "davit.debug/1";

std::optional<std::vector<std::string>> projection_of(const DeclaredWatch& watch) {
  if (watch.projection.empty()) return std::nullopt;
  return watch.projection;
}

davit_sink string_sink(std::string& out) {
  return davit_sink{&out, [](void* self, davit_str chunk) {
                      static_cast<std::string*>(self)->append(view(chunk));
                    }};
}

/// `Table` of an optional side of the controller, or null when it has none or one that is too
/// small.
template <typename Table>
const Table* side(const davit_controller& controller, std::string_view id) {
  if (controller.capability == nullptr) return nullptr;
  std::string error;
  const void* table = guarded([&] { return controller.capability(controller.self, lend_view(id)); },
                              nullptr, error);
  const auto* typed = static_cast<const Table*>(table);
  return typed != nullptr && typed->size >= sizeof(Table) ? typed : nullptr;
}

}  // namespace

/// A work queue as the controller opened it.
struct ControllerHost::HostedQueue {
  QueueId id{};
  std::unique_ptr<WriteTracker> writes;
  void* self = nullptr;
  davit_code (*sync)(void* self, davit_str key, davit_sync_result* result) = nullptr;
};

ControllerHost::ControllerHost(ControllerHostOptions options, const HostServices& services)
    : options_(std::move(options)),
      services_(services),
      log_(services.log.named(options_.declared.name)),
      handle_{this},
      client_(services.transport, services.clock, services.metrics, log_,
              RestOptions{.rate = options_.rate,
                          .user_agent = user_agent(options_.declared.client_name),
                          .write_gate = options_.write_gate,
                          .dry_run = options_.dry_run}),
      feed_(inbox_) {
  runner_ =
      std::make_unique<ControllerRunner>(RunnerOptions{.controller = options_.declared.name,
                                                       .plugin = options_.plugin,
                                                       .build_id = options_.build_id},
                                         &feed_, services_.metrics, services_.clock, log_);
  const std::array<std::string, 1> metadata = {"metadata"};
  answer_metadata_ = services_.space.add_keep_projection(metadata).value_or(kFullMask);
}

ControllerHost::~ControllerHost() {
  runner_.reset();
  hosted_queues_.clear();
  if (!created_ || controller_.destroy == nullptr) return;
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  std::string error;
  (void)guarded([this] { return controller_.destroy(controller_.self), 0; }, 0, error);
  if (!error.empty()) log_.error("The plugin failed to end a controller", {{"err", error}});
}

ControllerHost::InitResult ControllerHost::init(davit_init_fn function) {
  if (!options_.config.empty()) {
    Result<ObjectRef> config = parse_object(services_.space, options_.config);
    if (!config) return {InitOutcome::kFailed, "config: " + config.error().message()};
    config_ = *config;
  }
  const davit_context context{
      .size = sizeof(davit_context),
      .abi_major = DAVIT_ABI_MAJOR,
      .abi_minor = DAVIT_ABI_MINOR,
      .host = &handle_,
      .controller = lend_view(options_.declared.name),
      .capability = [](davit_host*, davit_str id) { return host_capability(view(id)); },
      .error_text =
          [](davit_host* host, davit_str text) {
            if (host == nullptr) return;
            if (CallFrame* frame = host->controller->frame()) frame->set_error(view(text));
          }};
  context_ = context;
  CallFrame frame(&handle_, Phase::kInit, {}, {});
  const BreadcrumbScope crumb(Breadcrumb{.plugin = options_.plugin,
                                         .build_id = options_.build_id,
                                         .generation = 1,
                                         .controller = options_.declared.name,
                                         .activity = "init",
                                         .key = {}});
  std::string thrown;
  controller_.size = sizeof(davit_controller);
  const std::int32_t answer =
      guarded([&] { return function(&context_, &controller_); }, DAVIT_FAILED, thrown);
  const std::string reason = thrown.empty() ? frame.error() : thrown;
  if (answer == DAVIT_STARTED) {
    created_ = true;
    return {InitOutcome::kStarted, ""};
  }
  informers_.clear();
  if (answer == DAVIT_SKIPPED) return {InitOutcome::kSkipped, reason};
  if (!reason.empty()) return {InitOutcome::kFailed, reason};
  if (answer == DAVIT_FAILED) return {InitOutcome::kFailed, "it gave no reason"};
  return {InitOutcome::kFailed,
          "it answered " + std::to_string(answer) + ", which is none of STARTED, SKIPPED, FAILED"};
}

Status ControllerHost::commit() {
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) {
    Result<Informer*> informer = services_.informers.informer(InformerSpec{
        opened->resource, opened->label_selector, opened->field_selector, opened->projection});
    if (!informer) return informer.error().with_context(opened->resource.text());
    opened->informer = *informer;
    for (const OpenedInformer::Index& index : opened->indexes) {
      if (Status s = opened->informer->add_index(index.name, index.path); !s.ok()) {
        return s.with_context("index " + index.name + " of " + opened->resource.text());
      }
    }
    HandlerInbox::Handler handler;
    if (opened->on_event != nullptr) {
      handler = [this, self = opened.get()](const Change& change) { handle_change(*self, change); };
    }
    inbox_.join(*opened->informer, std::move(handler));
  }
  return {};
}

void ControllerHost::handle_change(const OpenedInformer& informer, const Change& change) {
  davit_event event{};
  event.size = sizeof(event);
  switch (change.type) {
    case ChangeType::kAdded:
      event.type = DAVIT_EVENT_ADDED;
      break;
    case ChangeType::kUpdated:
      event.type = DAVIT_EVENT_UPDATED;
      break;
    case ChangeType::kDeleted:
      event.type = DAVIT_EVENT_DELETED;
      break;
  }
  event.initial = change.initial ? 1 : 0;
  event.tombstone = change.tombstone ? 1 : 0;
  // The change outlives the call, so nothing has to be lent.
  event.value = change.current.root(informer.mask).raw;
  event.old_value = change.old.root(informer.mask).raw;
  CallFrame frame(&handle_, Phase::kHandler, {}, {});
  std::string error;
  (void)guarded([&] { return informer.on_event(informer.self, &event), 0; }, 0, error);
  if (!error.empty()) {
    log_.error("A handler failed", {{"err", error}, {"resource", informer.resource.text()}});
  }
}

Status ControllerHost::health() const {
  if (Status s = runner_->health(); !s.ok()) return s;
  const auto* side_table = side<davit_health_v1>(controller_, kHealthCapability);
  if (side_table == nullptr || side_table->check == nullptr) return {};
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  std::string why;
  std::string thrown;
  const davit_code code =
      guarded([&] { return side_table->check(controller_.self, string_sink(why)); },
              davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return {};
  return Status(Code::kUnavailable, thrown.empty() ? why : thrown);
}

bool ControllerHost::has_debug_page() const {
  return side<davit_debug_v1>(controller_, kDebugCapability) != nullptr;
}

Result<std::string> ControllerHost::debug_page(std::string_view path,
                                               std::string_view query) const {
  const auto* side_table = side<davit_debug_v1>(controller_, kDebugCapability);
  if (side_table == nullptr) return Status(Code::kNotFound, "no debug page");
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  std::string body;
  std::string thrown;
  const davit_code code = guarded(
      [&] {
        return side_table->serve(controller_.self, lend_view(path), lend_view(query),
                                 string_sink(body));
      },
      davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return body;
  return Status(static_cast<Code>(code), thrown.empty() ? body : thrown);
}

// ---- For the ABI.

const DeclaredWatch* ControllerHost::find_watch(const davit_informer_options& options) const {
  for (const DeclaredWatch& watch : options_.declared.watches) {
    if (watch.group == view(options.group) && watch.version == view(options.version) &&
        watch.resource == view(options.resource) &&
        watch.label_selector == view(options.label_selector) &&
        watch.field_selector == view(options.field_selector)) {
      return &watch;
    }
  }
  return nullptr;
}

davit_code ControllerHost::open_informer(const davit_informer_options& options, davit_handle& out) {
  const DeclaredWatch* watch = find_watch(options);
  if (watch == nullptr) return DAVIT_UNDECLARED;
  auto opened = std::make_unique<OpenedInformer>();
  opened->resource = ResourceId{watch->group, watch->version, watch->resource};
  opened->label_selector = watch->label_selector;
  opened->field_selector = watch->field_selector;
  opened->projection = projection_of(*watch);
  if (opened->projection) {
    Result<Mask> mask = services_.space.add_projection(*opened->projection);
    if (!mask) {
      if (CallFrame* call = frame()) call->set_error(mask.error().message());
      return static_cast<davit_code>(mask.error().code());
    }
    opened->mask = *mask;
  }
  opened->self = options.self;
  opened->on_event = options.on_event;
  out = informer_handles_.insert(opened.get());
  informers_.push_back(std::move(opened));
  return DAVIT_OK;
}

davit_code ControllerHost::add_index(davit_handle handle, std::string_view name,
                                     std::string_view path) {
  OpenedInformer* opened = informer(handle);
  if (opened == nullptr) return DAVIT_STALE;
  for (const OpenedInformer::Index& index : opened->indexes) {
    if (index.name == name) return index.path == path ? DAVIT_OK : DAVIT_ALREADY_EXISTS;
  }
  if (Result<FieldPath> parsed = FieldPath::parse(services_.space, path); !parsed) {
    if (CallFrame* call = frame()) call->set_error(parsed.error().message());
    return DAVIT_INVALID;
  }
  opened->indexes.push_back({std::string(name), std::string(path)});
  return DAVIT_OK;
}

ControllerHost::OpenedInformer* ControllerHost::informer(davit_handle handle) {
  return informer_handles_.find(handle).value_or(nullptr);
}

davit_code ControllerHost::open_queue(const davit_queue_options& options, davit_handle& out) {
  if (options.sync == nullptr) return DAVIT_MISUSE;
  ControllerQueueOptions queue;
  queue.name = view(options.name);
  queue.workers =
      options_.workers.value_or(options.workers != 0 ? options.workers : options_.declared.workers);
  if (options.base_ms != 0) queue.retry.base = milliseconds_of(options.base_ms);
  if (options.max_ms != 0) queue.retry.max = milliseconds_of(options.max_ms);
  queue.retries_max = options.retries_max;
  auto hosted = std::make_unique<HostedQueue>();
  HostedQueue* const entry = hosted.get();
  entry->self = options.self;
  entry->sync = options.sync;
  entry->writes = std::make_unique<WriteTracker>(
      WriteTrackerOptions{.on_ready = [this, entry](std::vector<std::string> keys) {
        for (const std::string& key : keys) (void)runner_->caught_up(entry->id, key);
      }});
  queue.sync = [this, entry](std::string_view key, std::stop_token cancelled) {
    return sync(*entry, key, std::move(cancelled));
  };
  queue.gate = [this, entry](std::string_view key) -> std::optional<Time> {
    if (entry->writes->ready(key, services_.clock.now())) return std::nullopt;
    return entry->writes->deadline(key);
  };
  entry->id = runner_->open_queue(std::move(queue));
  hosted_queues_.push_back(std::move(hosted));
  out = queues_.insert(entry->id);
  return DAVIT_OK;
}

SyncOutcome ControllerHost::sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled) {
  CallFrame frame(&handle_, Phase::kSync, key, std::move(cancelled));
  frame.track_writes(*queue.writes);
  davit_sync_result result{};
  result.size = sizeof(result);
  std::string thrown;
  SyncOutcome outcome;
  outcome.code = guarded([&] { return queue.sync(queue.self, lend_view(key), &result); },
                         davit_code{DAVIT_INTERNAL}, thrown);
  outcome.again = milliseconds_of(result.again_ms);
  outcome.error = thrown.empty() ? frame.error() : thrown;
  return outcome;
}

davit_code ControllerHost::start_timer(const davit_timer_options& options, davit_handle& out) {
  if (options.fire == nullptr) return DAVIT_MISUSE;
  TimerOptions timer;
  timer.first = milliseconds_of(options.first_ms);
  timer.period = milliseconds_of(options.period_ms);
  timer.fire = [this, fire = options.fire, self = options.self](std::stop_token cancelled) {
    CallFrame call(&handle_, Phase::kSync, {}, std::move(cancelled));
    std::string error;
    (void)guarded([&] { return fire(self), 0; }, 0, error);
    if (!error.empty()) log_.error("A timer failed", {{"err", error}});
  };
  out = timers_.insert(runner_->start_timer(std::move(timer)));
  return DAVIT_OK;
}

}  // namespace davit::host

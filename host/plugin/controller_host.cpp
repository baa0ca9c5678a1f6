#include "host/plugin/controller_host.hpp"

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <set>
#include <utility>

#include "host/object/parse.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/run/code_name.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kHealthCapability = "davit.health/1";
constexpr std::string_view kDebugCapability = "davit.debug/1";
constexpr std::string_view kStateCapability = "davit.state/1";

/// Without memory the text stays as it is.
davit_sink string_sink(std::string& out) {
  return davit_sink{&out, [](void* self, davit_str chunk) {
                      (void)shielded(
                          [&] { return static_cast<std::string*>(self)->append(view(chunk)), 0; },
                          0, [](std::string_view) {});
                    }};
}

/// What a controller writes of its state; what is beyond the limit is only noted.
struct StateBytes {
  std::string text;
  bool is_too_long = false;
  bool is_cut = false;  ///< The host had no memory for all of it.

  static void write(void* self, davit_str chunk) {
    auto& me = *static_cast<StateBytes*>(self);
    me.is_too_long = me.is_too_long || chunk.size > DAVIT_STATE_BYTES_MAX - me.text.size();
    if (me.is_too_long || me.is_cut) return;
    me.is_cut = !shielded([&] { return me.text.append(view(chunk)), true; }, false,
                          [](std::string_view) {});
  }
};

/// Why a call did not answer DAVIT_OK.
Status said(davit_code code, const std::string& thrown, const CallFrame& frame) {
  const std::string why = thrown.empty() ? frame.error() : thrown;
  return {static_cast<Code>(code), why.empty() ? code_name(code) : why};
}

}  // namespace

ControllerHost::ControllerHost(ControllerHostOptions options, const HostServices& services)
    : options_(std::move(options)),
      services_(services),
      log_(services.log.named(options_.declared.name)),
      handle_{this},
      client_(services.transport, services.clock, services.metrics, log_,
              RestOptions{.rate = options_.rate,
                          .user_agent = user_agent(options_.declared.client_name),
                          .write_gate = options_.write_gate,
                          .dry_run = options_.dry_run,
                          .on_success = options_.on_success,
                          .failure_backoff = options_.failure_backoff}),
      timer_writes_(std::make_unique<WriteTracker>(WriteTrackerOptions{
          .on_ready = [this](std::vector<std::string> writers) { timers_caught_up(writers); }})),
      delta_source_(delta_queue_) {
  runner_ = std::make_unique<ControllerRunner>(RunnerOptions{.controller = options_.declared.name,
                                                             .plugin = options_.plugin,
                                                             .build_id = options_.build_id,
                                                             .generation = options_.generation,
                                                             .sync_limit = options_.sync_limit},
                                               &delta_source_, services_.metrics, services_.clock,
                                               services_.log);
  const std::array<std::string, 1> metadata = {"metadata"};
  answer_metadata_ = services_.space.add_keep_projection(metadata).value_or(kFullMask);
}

ControllerHost::~ControllerHost() {
  // Nothing of the controller runs any more, but its last call may still use its host: the runner
  // stays until then.
  (void)runner_->stop({services_.clock.now(), Time::max()});
  if (created_ && controller_.destroy != nullptr) {
    CallFrame frame(&handle_, Phase::kProbe, {}, {});
    const BreadcrumbScope crumb(breadcrumb("destroy"));
    std::string error;
    (void)guarded([this] { return controller_.destroy(controller_.self), 0; }, 0, error);
    if (!error.empty()) log_.error("The plugin failed to end a controller", {{"err", error}});
    if (const std::size_t left = retained_.size(); left > 0) {
      log_.warning("A controller ended without releasing objects: the host took them back",
                   {{"objects", left}});
    }
  }
  // Write trackers tell the runner.
  hosted_queues_.clear();
  timer_writes_.reset();
  runner_.reset();
}

Breadcrumb ControllerHost::breadcrumb(std::string_view activity) const {
  return Breadcrumb{.plugin = options_.plugin,
                    .build_id = options_.build_id,
                    .generation = options_.generation,
                    .controller = options_.declared.name,
                    .activity = activity,
                    .key = {}};
}

ControllerHost::InitResult ControllerHost::init(davit_init_fn function) {
  if (function == nullptr) return {InitOutcome::kFailed, "the plugin has no such controller"};
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
            CallFrame* const frame = host->controller->frame();
            if (frame == nullptr) return;
            (void)shielded([&] { return frame->set_error(view(text)), 0; }, 0,
                           [](std::string_view) {});
          }};
  context_ = context;
  CallFrame frame(&handle_, Phase::kInit, {}, {});
  const BreadcrumbScope crumb(breadcrumb("init"));
  std::string thrown;
  controller_.size = sizeof(davit_controller);
  const std::int32_t response =
      guarded([&] { return function(&context_, &controller_); }, DAVIT_FAILED, thrown);
  const std::string reason = thrown.empty() ? frame.error() : thrown;
  if (response == DAVIT_STARTED) {
    created_ = true;
    return {InitOutcome::kStarted, ""};
  }
  if (response == DAVIT_SKIPPED) return {InitOutcome::kSkipped, reason};
  if (!reason.empty()) return {InitOutcome::kFailed, reason};
  if (response == DAVIT_FAILED) return {InitOutcome::kFailed, "it gave no reason"};
  return {InitOutcome::kFailed, "it returned " + std::to_string(response) +
                                    ", which is none of STARTED, SKIPPED, FAILED"};
}

CacheNeed ControllerHost::OpenedInformer::need() const {
  CacheNeed need{{resource, label_selector, field_selector, projection}};
  for (const Index& each : indexes) need.indexes.push_back({each.shared_name, each.path});
  return need;
}

std::vector<CacheNeed> ControllerHost::cache_needs() const {
  std::vector<CacheNeed> needs;
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) needs.push_back(opened->need());
  return needs;
}

Status ControllerHost::commit(Reach reach) {
  std::string missing;
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) {
    if (reach == Reach::kAny || services_.informers.serves(opened->need())) continue;
    missing += (missing.empty() ? "" : ", ") + opened->resource.text();
  }
  if (!missing.empty()) {
    return Status(Code::kUnsupported, "no running informer keeps what it reads of " + missing);
  }
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) {
    Result<Informer*> informer = services_.informers.informer(opened->need());
    if (!informer) return informer.error().with_context(opened->resource.text());
    opened->informer = *informer;
    for (const OpenedInformer::Index& index : opened->indexes) {
      if (Status s = opened->informer->add_index(index.shared_name, index.path); !s.ok()) {
        return s.with_context("index " + index.name + " of " + opened->resource.text());
      }
    }
    DeltaQueue::Handler handler;
    if (opened->on_event != nullptr) {
      handler = [this, self = opened.get()](const Change& change) { handle_change(*self, change); };
    }
    if (opened->silence_max != Duration::max()) {
      opened->informer->limit_silence(opened->silence_max);
    }
    delta_queue_.join(*opened->informer, std::move(handler));
  }
  return {};
}

void ControllerHost::lead(Time won) {
  delta_queue_.when_current(won, [this] { runner_->begin_syncing(); });
  for (const std::unique_ptr<OpenedInformer>& opened : informers_) opened->informer->verify(won);
}

bool ControllerHost::drain(Time deadline) {
  client_.hold();
  const bool idle =
      runner_->pause({.cancel_at = Time::max(), .give_up_at = deadline}) || mutant("drain");
  client_.release();
  return idle;
}

ControllerHost::HandedOver ControllerHost::take_over(ControllerHost& from) {
  HandedOver handed;
  std::set<const HostedQueue*> taken;
  for (const std::unique_ptr<HostedQueue>& old : from.hosted_queues_) {
    QueueContent content = from.runner_->take_content(old->id);
    // Queues of one name, above all those without one, belong together in their order.
    const auto heir = std::find_if(
        hosted_queues_.begin(), hosted_queues_.end(),
        [&](const auto& each) { return each->name == old->name && !taken.contains(each.get()); });
    if (heir == hosted_queues_.end()) {
      handed.dropped += content.size();
      continue;
    }
    taken.insert(heir->get());
    handed.kept += content.size();
    old->writes->hand_over(*(*heir)->writes);
    runner_->adopt((*heir)->id, content);
    handed.spent.push_back(std::move(content));
  }
  // Handles count from the same number in every build: timers belong together in the order in which
  // they were started.
  from.timer_writes_->hand_over(*timer_writes_);
  return handed;
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
    counter_.threw();
    log_.error("A handler failed", {{"err", error}, {"resource", informer.resource.text()}});
  }
}

/// `Table` of an optional side of the controller, or null when it has none or one that is too
/// small. Only inside a frame.
template <typename Table>
const Table* ControllerHost::side(std::string_view id) const {
  if (!created_ || controller_.capability == nullptr) return nullptr;
  std::string error;
  const void* table =
      guarded([&] { return controller_.capability(controller_.self, lend_view(id)); },
              static_cast<const void*>(nullptr), error);
  if (!error.empty()) log_.error("A controller failed to name its sides", {{"err", error}});
  const auto* typed = static_cast<const Table*>(table);
  return typed != nullptr && typed->size >= sizeof(Table) ? typed : nullptr;
}

Status ControllerHost::health() const {
  if (Status s = runner_->health(); !s.ok()) return s;
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("health"));
  const auto* health = side<davit_health_v1>(kHealthCapability);
  if (health == nullptr || health->check == nullptr) return {};
  std::string why;
  std::string thrown;
  const davit_code code = guarded([&] { return health->check(controller_.self, string_sink(why)); },
                                  davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return {};
  if (!thrown.empty()) why = thrown;
  return Status(Code::kUnavailable, why.empty() ? code_name(code) : why);
}

const davit_state_v1* ControllerHost::state_side() const {
  const auto* state = side<davit_state_v1>(kStateCapability);
  const bool is_whole = state != nullptr && state->version > 0 && state->write != nullptr &&
                        state->read != nullptr && state->oldest <= state->version;
  return is_whole ? state : nullptr;
}

std::optional<ControllerHost::StateForms> ControllerHost::state_forms() const {
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const davit_state_v1* const state = state_side();
  if (state == nullptr) return std::nullopt;
  return StateForms{state->version, state->oldest == 0 ? state->version : state->oldest};
}

Result<std::string> ControllerHost::write_state() const {
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("write state"));
  const davit_state_v1* const state = state_side();
  if (state == nullptr) return Status(Code::kUnsupported, "it has no state");
  StateBytes bytes;
  std::string thrown;
  const davit_code code = guarded(
      [&] {
        return state->write(controller_.self, davit_sink{&bytes, StateBytes::write});
      },
      davit_code{DAVIT_INTERNAL}, thrown);
  if (code != DAVIT_OK) return said(code, thrown, frame);
  if (bytes.is_cut) return Status(Code::kUnavailable, "the host has no memory for it");
  if (!bytes.is_too_long) return std::move(bytes.text);
  return Status(Code::kInvalid,
                "it is larger than " + std::to_string(DAVIT_STATE_BYTES_MAX >> 20) + " MiB");
}

Status ControllerHost::read_state(std::uint32_t form, std::string_view bytes) const {
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("read state"));
  const davit_state_v1* const state = state_side();
  if (state == nullptr) return Status(Code::kUnsupported, "it has no state");
  std::string thrown;
  const davit_code code =
      guarded([&] { return state->read(controller_.self, form, lend_view(bytes)); },
              davit_code{DAVIT_INTERNAL}, thrown);
  return code == DAVIT_OK ? Status() : said(code, thrown, frame);
}

bool ControllerHost::hold_handlers(ControllerHost& other, Time deadline) {
  DeltaQueue::hold_together(delta_queue_, other.delta_queue_);
  return delta_queue_.wait_held(services_.clock, deadline) &&
         other.delta_queue_.wait_held(services_.clock, deadline);
}

bool ControllerHost::has_debug_page() const {
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("debug"));
  const auto* debug = side<davit_debug_v1>(kDebugCapability);
  return debug != nullptr && debug->serve != nullptr;
}

Result<std::string> ControllerHost::debug_page(std::string_view path,
                                               std::string_view query) const {
  CallFrame frame(&handle_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("debug"));
  const auto* debug = side<davit_debug_v1>(kDebugCapability);
  if (debug == nullptr || debug->serve == nullptr) return Status(Code::kNotFound, "no debug page");
  std::string body;
  std::string thrown;
  const davit_code code = guarded(
      [&] {
        return debug->serve(controller_.self, lend_view(path), lend_view(query), string_sink(body));
      },
      davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return body;
  return Status(static_cast<Code>(code), thrown.empty() ? body : thrown);
}

}  // namespace davit::host

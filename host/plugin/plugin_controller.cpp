#include "host/plugin/plugin_controller.hpp"

#include <utility>

#include "host/object/parse.hpp"
#include "host/plugin/call_frame.hpp"
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

/// The state that a controller writes; bytes beyond the limit are only counted.
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

Breadcrumb PluginController::breadcrumb(std::string_view activity) const {
  return Breadcrumb{.plugin = host_.options.plugin,
                    .build_id = host_.options.build_id,
                    .generation = host_.options.generation,
                    .controller = host_.options.declared.name,
                    .activity = activity,
                    .key = {}};
}

InitResult PluginController::init(const InitFunction& function) {
  if (function == nullptr) return {InitOutcome::kFailed, "the plugin has no such controller"};
  if (!host_.options.config.empty()) {
    Result<ObjectRef> config = parse_object(host_.services.space, host_.options.config);
    if (!config) return {InitOutcome::kFailed, "config: " + config.error().message()};
    host_.config = *config;
  }
  const davit_context context{
      .size = sizeof(davit_context),
      .abi_major = DAVIT_ABI_MAJOR,
      .abi_minor = DAVIT_ABI_MINOR,
      .host = &host_,
      .controller = lend_view(host_.options.declared.name),
      .capability = [](davit_host*, davit_str id) { return host_capability(view(id)); },
      .error_text =
          [](davit_host* host, davit_str text) {
            if (host == nullptr) return;
            CallFrame* const frame = CallFrame::current(host);
            if (frame == nullptr) return;
            (void)shielded([&] { return frame->set_error(view(text)), 0; }, 0,
                           [](std::string_view) {});
          }};
  context_ = context;
  CallFrame frame(&host_, Phase::kInit, {}, {});
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

void PluginController::destroy() {
  if (!created_ || controller_.destroy == nullptr) return;
  CallFrame frame(&host_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("destroy"));
  std::string error;
  (void)guarded([this] { return controller_.destroy(controller_.self), 0; }, 0, error);
  if (!error.empty())
    host_.log.error("The plugin failed to destroy a controller", {{"err", error}});
  if (const std::size_t left = host_.retained.size(); left > 0) {
    host_.log.warning("A controller ended without releasing objects: the host released them",
                      {{"objects", left}});
  }
}

void PluginController::handle(const OpenedInformer& informer, const Change& change) {
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
  CallFrame frame(&host_, Phase::kHandler, {}, {});
  std::string error;
  (void)guarded([&] { return informer.on_event(informer.self, &event), 0; }, 0, error);
  if (!error.empty()) {
    host_.work.counter().threw();
    host_.log.error("A handler failed", {{"err", error}, {"resource", informer.resource.text()}});
  }
  host_.observe_undeclared_read();
}

void PluginController::close(const DynamicInformer& informer) {
  if (informer.on_closed == nullptr) return;
  CallFrame frame(&host_, Phase::kHandler, {}, {});
  std::string error;
  (void)guarded([&] { return informer.on_closed(informer.opened.self), 0; }, 0, error);
  if (!error.empty()) {
    host_.work.counter().threw();
    host_.log.error("A handler failed",
                    {{"err", error}, {"resource", informer.opened.resource.text()}});
  }
}

/// `Table` of an optional side of the controller, or null when it has none or one that is too
/// small. Only inside a frame.
template <typename Table>
const Table* PluginController::side(std::string_view id) const {
  if (!created_ || controller_.capability == nullptr) return nullptr;
  std::string error;
  const void* table =
      guarded([&] { return controller_.capability(controller_.self, lend_view(id)); },
              static_cast<const void*>(nullptr), error);
  if (!error.empty())
    host_.log.error("A controller failed to return its capabilities", {{"err", error}});
  const auto* typed = static_cast<const Table*>(table);
  return typed != nullptr && typed->size >= sizeof(Table) ? typed : nullptr;
}

Status PluginController::health() const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
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

const davit_state_v1* PluginController::state_side() const {
  const auto* state = side<davit_state_v1>(kStateCapability);
  const bool is_whole = state != nullptr && state->version > 0 && state->write != nullptr &&
                        state->read != nullptr && state->oldest <= state->version;
  return is_whole ? state : nullptr;
}

std::optional<StateForms> PluginController::state_forms() const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
  const davit_state_v1* const state = state_side();
  if (state == nullptr) return std::nullopt;
  return StateForms{state->version, state->oldest == 0 ? state->version : state->oldest};
}

Result<std::string> PluginController::write_state() const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
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

Status PluginController::read_state(std::uint32_t form, std::string_view bytes) const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("read state"));
  const davit_state_v1* const state = state_side();
  if (state == nullptr) return Status(Code::kUnsupported, "it has no state");
  std::string thrown;
  const davit_code code =
      guarded([&] { return state->read(controller_.self, form, lend_view(bytes)); },
              davit_code{DAVIT_INTERNAL}, thrown);
  return code == DAVIT_OK ? Status() : said(code, thrown, frame);
}

bool PluginController::has_debug_page() const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
  const BreadcrumbScope crumb(breadcrumb("debug"));
  const auto* debug = side<davit_debug_v1>(kDebugCapability);
  return debug != nullptr && debug->serve != nullptr;
}

Result<std::string> PluginController::debug_page(std::string_view path,
                                                 std::string_view query) const {
  CallFrame frame(&host_, Phase::kProbe, {}, {});
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

#include "host/plugin/plugin_controller.hpp"

#include <algorithm>
#include <utility>

#include "host/object/abi.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/plugin/received.hpp"
#include "host/run/code_name.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kHealthCapability = "davit.health/1";
constexpr std::string_view kDebugCapability = "davit.debug/1";
constexpr std::string_view kStateCapability = "davit.state/1";
constexpr std::string_view kConfigurableCapability = "davit.configurable/1";
constexpr std::string_view kCloudProviderCapability = "davit.cloud-provider/1";

davit_sink sink_of(void* self, davit_code (*write)(void* self, davit_str chunk)) {
  return davit_sink{.size = sizeof(davit_sink), .reserved = 0, .self = self, .write = write};
}

/// Stops without memory.
davit_sink string_sink(std::string& out) {
  return sink_of(&out, [](void* self, davit_str chunk) -> davit_code {
    return shielded([&] { return static_cast<std::string*>(self)->append(view(chunk)), DAVIT_OK; },
                    DAVIT_UNAVAILABLE, [](std::string_view) {});
  });
}

/// The state that a controller writes; it ends before the first byte beyond the limit.
struct StateBytes {
  std::string text;
  bool is_too_long = false;
  bool is_cut = false;  ///< The host had no memory for all of it.

  static davit_code write(void* self, davit_str chunk) {
    auto& me = *static_cast<StateBytes*>(self);
    me.is_too_long = me.is_too_long || chunk.size > DAVIT_STATE_BYTES_MAX - me.text.size();
    if (me.is_too_long) return DAVIT_INVALID;
    me.is_cut = me.is_cut || !shielded([&] { return me.text.append(view(chunk)), true; }, false,
                                       [](std::string_view) {});
    return me.is_cut ? DAVIT_UNAVAILABLE : DAVIT_OK;
  }
};

/// Whether it may stand in a header as the type of a body.
bool is_media_type(std::string_view text) {
  constexpr std::size_t kBytesMax = 256;
  const auto is_printable = [](char each) { return each >= ' ' && each <= '~'; };
  const std::size_t slash = text.find('/');
  return text.size() <= kBytesMax && slash != 0 && slash != text.npos &&
         std::all_of(text.begin(), text.end(), is_printable);
}

davit_code set_head(void* self, std::int32_t http_status, davit_str content_type) {
  constexpr std::int32_t kLeast = 200;
  constexpr std::int32_t kMost = 599;
  if (http_status < kLeast || http_status > kMost || !is_media_type(view(content_type))) {
    return DAVIT_INVALID;
  }
  auto& page = *static_cast<DebugResponse*>(self);
  return shielded(
      [&] {
        page.content_type.assign(view(content_type));
        page.http_status = http_status;
        return DAVIT_OK;
      },
      DAVIT_UNAVAILABLE, [](std::string_view) {});
}

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
  const std::string& text = host_.options.config;
  const Result<ObjectRef> config = RunningConfig::parse(host_.services.space, text);
  if (!config) return {InitOutcome::kFailed, config.error().message()};
  host_.config.set(text, *config);
  context_ = make_context(host_.options.declared.name);
  CallFrame frame(host_, Phase::kInit);
  const BreadcrumbScope crumb(breadcrumb("init"));
  std::string thrown;
  controller_.size = sizeof(davit_controller);
  const std::int32_t response = guarded(
      [&] { return function(frame.call(), &context_, &controller_); }, DAVIT_FAILED, thrown);
  const std::string reason = thrown.empty() ? frame.error() : thrown;
  if (response == DAVIT_STARTED) {
    created_ = true;
    return {InitOutcome::kStarted, ""};
  }
  if (response == DAVIT_SKIPPED) return {InitOutcome::kSkipped, reason};
  if (!reason.empty()) return {InitOutcome::kFailed, reason};
  if (response == DAVIT_FAILED) return {InitOutcome::kFailed, "it gave no reason"};
  return {InitOutcome::kFailed,
          "it returned " + std::to_string(response) + ", which is not STARTED, SKIPPED or FAILED"};
}

void PluginController::destroy() {
  if (!created_ || controller_.destroy == nullptr) return;
  CallFrame frame(host_, Phase::kDestroy);
  const BreadcrumbScope crumb(breadcrumb("destroy"));
  std::string error;
  (void)guarded([&] { return controller_.destroy(controller_.self, frame.call()), 0; }, 0, error);
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
  CallDetails details = handler_details(informer.handle);
  details.resource = &informer.resource;
  details.change = &change;
  CallFrame frame(host_, Phase::kHandler, std::move(details));
  event.value = frame.show(change.current, informer.mask);
  event.old_value = frame.show(change.old, informer.mask);
  std::string error;
  (void)guarded([&] { return informer.on_event(informer.self, frame.call(), &event), 0; }, 0,
                error);
  if (!error.empty()) {
    host_.work.counter().threw();
    host_.log.error("A handler failed", {{"err", error}, {"resource", informer.resource.text()}});
  }
  host_.observe_undeclared_read();
}

void PluginController::close(const DynamicInformer& informer) {
  if (informer.on_closed == nullptr) return;
  CallFrame frame(host_, Phase::kHandler, handler_details(informer.opened.handle));
  std::string error;
  (void)guarded([&] { return informer.on_closed(informer.opened.self, frame.call()), 0; }, 0,
                error);
  if (!error.empty()) {
    host_.work.counter().threw();
    host_.log.error("A handler failed",
                    {{"err", error}, {"resource", informer.opened.resource.text()}});
  }
}

CallDetails PluginController::handler_details(davit_handle informer) const {
  return {.source = informer, .deadline = host_.services.clock.now() + host_.options.sync_limit};
}

template <typename Table>
std::optional<Table> PluginController::side(const CallFrame& frame, std::string_view id) const {
  if (!created_ || controller_.capability == nullptr) return std::nullopt;
  std::string error;
  const void* table =
      guarded([&] { return controller_.capability(controller_.self, frame.call(), lend_view(id)); },
              static_cast<const void*>(nullptr), error);
  if (!error.empty())
    host_.log.error("A controller failed to return its capabilities", {{"err", error}});
  if (table == nullptr) return std::nullopt;
  return received(static_cast<const Table*>(table));
}

Status PluginController::health() const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("health"));
  const auto health = side<davit_health_v1>(frame, kHealthCapability);
  if (!health || health->check == nullptr) return {};
  std::string why;
  std::string thrown;
  const davit_sink sink = string_sink(why);
  const davit_code code =
      guarded([&] { return health->check(controller_.self, frame.call(), &sink); },
              davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return {};
  if (!thrown.empty()) why = thrown;
  return Status(Code::kUnavailable, why.empty() ? code_name(code) : why);
}

std::optional<davit_state_v1> PluginController::state_side(const CallFrame& frame) const {
  const auto state = side<davit_state_v1>(frame, kStateCapability);
  const bool is_whole = state && state->version > 0 && state->write != nullptr &&
                        state->read != nullptr && state->oldest <= state->version;
  return is_whole ? state : std::nullopt;
}

std::optional<StateForms> PluginController::state_forms() const {
  CallFrame frame(host_, Phase::kProbe);
  const std::optional<davit_state_v1> state = state_side(frame);
  if (!state) return std::nullopt;
  return StateForms{state->version, state->oldest == 0 ? state->version : state->oldest};
}

Result<std::string> PluginController::write_state() const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("write state"));
  const std::optional<davit_state_v1> state = state_side(frame);
  if (!state) return Status(Code::kUnsupported, "it has no state");
  StateBytes bytes;
  std::string thrown;
  const davit_sink sink = sink_of(&bytes, StateBytes::write);
  const davit_code code =
      guarded([&] { return state->write(controller_.self, frame.call(), &sink); },
              davit_code{DAVIT_INTERNAL}, thrown);
  if (bytes.is_cut) return Status(Code::kUnavailable, "the host is out of memory");
  if (bytes.is_too_long) {
    return Status(Code::kInvalid,
                  "it is larger than " + std::to_string(DAVIT_STATE_BYTES_MAX >> 20) + " MiB");
  }
  if (code != DAVIT_OK) return said(code, thrown, frame);
  return std::move(bytes.text);
}

Status PluginController::read_state(std::uint32_t form, std::string_view bytes) const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("read state"));
  const std::optional<davit_state_v1> state = state_side(frame);
  if (!state) return Status(Code::kUnsupported, "it has no state");
  std::string thrown;
  const davit_code code =
      guarded([&] { return state->read(controller_.self, frame.call(), form, lend_view(bytes)); },
              davit_code{DAVIT_INTERNAL}, thrown);
  return code == DAVIT_OK ? Status() : said(code, thrown, frame);
}

bool PluginController::has_debug_page() const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("debug"));
  const auto debug = side<davit_debug_v1>(frame, kDebugCapability);
  return debug && debug->serve != nullptr;
}

Result<DebugResponse> PluginController::debug_page(std::string_view path,
                                                   std::string_view query) const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("debug"));
  const auto debug = side<davit_debug_v1>(frame, kDebugCapability);
  if (!debug || debug->serve == nullptr) return Status(Code::kNotFound, "no debug page");
  DebugResponse response;
  std::string thrown;
  const davit_sink body = string_sink(response.body);
  const davit_page page{sizeof(davit_page), 0, &response, &body, set_head};
  const davit_code code = guarded(
      [&] {
        return debug->serve(controller_.self, frame.call(), lend_view(path), lend_view(query),
                            &page);
      },
      davit_code{DAVIT_INTERNAL}, thrown);
  if (code == DAVIT_OK) return response;
  return Status(static_cast<Code>(code), thrown.empty() ? response.body : thrown);
}

Status PluginController::configure(const ObjectRef& config) const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("configuration"));
  const auto side = this->side<davit_configurable_v1>(frame, kConfigurableCapability);
  if (!side || side->changed == nullptr) {
    return Status(Code::kUnsupported, "it takes no configuration while it runs");
  }
  std::string thrown;
  const davit_code code =
      guarded([&] { return side->changed(controller_.self, frame.call(), config.root().raw); },
              davit_code{DAVIT_INTERNAL}, thrown);
  return code == DAVIT_OK ? Status() : said(code, thrown, frame);
}

std::optional<davit_cloud_provider_v1> PluginController::cloud_provider() const {
  CallFrame frame(host_, Phase::kProbe);
  const BreadcrumbScope crumb(breadcrumb("init"));
  return side<davit_cloud_provider_v1>(frame, kCloudProviderCapability);
}

PluginController::Provided PluginController::provide(
    std::string_view activity, CallDetails details,
    const std::function<davit_code(void*, const davit_call*)>& function) const {
  Breadcrumb crumb = breadcrumb(activity);
  crumb.key = details.key;
  CallFrame frame(host_, Phase::kProvider, std::move(details));
  const BreadcrumbScope scope(std::move(crumb));
  std::string thrown;
  davit_code code = guarded([&] { return function(controller_.self, frame.call()); },
                            davit_code{DAVIT_INTERNAL}, thrown);
  // A field that the provider did not see says nothing, least of all that a machine is gone.
  if (thrown.empty() && undeclared_read()) code = DAVIT_UNDECLARED;
  if (code == DAVIT_UNDECLARED) frame.note_refusal(host_.informers.undeclared_read_text());
  host_.observe_undeclared_read();
  if (!thrown.empty()) {
    host_.work.counter().threw();
    host_.log.error("A cloud provider failed", {{"err", thrown}, {"activity", activity}});
  }
  return {code == DAVIT_OK ? Status() : said(code, thrown, frame), !thrown.empty()};
}

}  // namespace davit::host
